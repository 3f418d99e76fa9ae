import type { ReportPorts } from '../ports.ts';

/** A process dies: the call never reached its port, or the port did it and nobody heard. */
export type Death = 'before' | 'after';

export class CrashError extends Error {
  override readonly name = 'CrashError';
}

/** Ports of a process that dies at its n-th call of any of them, and every call from then on fails. */
export function crashing(ports: ReportPorts, { at, death }: { readonly at: number; readonly death: Death }) {
  const seen = { calls: 0 };
  const dying = async <T>(call: () => Promise<T>): Promise<T> => {
    const now = ++seen.calls;
    if (now > at || (now === at && death === 'before')) throw new CrashError(`at call ${at}`);
    const answer = await call();
    if (now === at) throw new CrashError(`after call ${at}`);
    return answer;
  };
  const wrapped: ReportPorts = {
    ...ports,
    facts: {
      accounts: (shard) => ports.facts.accounts(shard),
      put: (facts) => dying(() => ports.facts.put(facts)),
      noteAccounts: (accountIds) => dying(() => ports.facts.noteAccounts(accountIds)),
      noteLate: (marks) => dying(() => ports.facts.noteLate(marks)),
      usage: (accountId, date) => dying(() => ports.facts.usage(accountId, date)),
      quarantined: (day) => dying(() => ports.facts.quarantined(day)),
      marks: () => dying(() => ports.facts.marks()),
    },
    files: {
      put: (path, file) => dying(() => ports.files.put(path, file)),
      read: (path) => dying(() => ports.files.read(path)),
    },
    runs: {
      read: (day) => dying(() => ports.runs.read(day)),
      ofDate: (date) => dying(() => ports.runs.ofDate(date)),
      write: (runs) => dying(() => ports.runs.write(runs)),
      progress: () => dying(() => ports.runs.progress()),
      setProgress: (progress) => dying(() => ports.runs.setProgress(progress)),
      corrections: (timezone) => dying(() => ports.runs.corrections(timezone)),
      addCorrection: (file) => dying(() => ports.runs.addCorrection(file)),
      carryCorrection: (file, carriedBy) => dying(() => ports.runs.carryCorrection(file, carriedBy)),
    },
    publish: (event) => dying(() => ports.publish(event)),
    deadLetters: () => dying(() => ports.deadLetters()),
  };
  return { ports: wrapped, seen };
}
