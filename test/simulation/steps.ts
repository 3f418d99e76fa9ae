import type { Role } from './process.ts';

/** The calls that Usher makes, by what they are for. */
export const steps = [
  'intake: read policy',
  'intake: read header',
  'intake: create header',
  'intake: take over header',
  'intake: give header up',
  'intake: mark accepted',
  'intake: limiter',
  'intake: send chunks',
  'intake: read ledger',
  'worker: read accounts',
  'worker: read ledger',
  'worker: write account',
  'worker: record',
  'worker: complete receipt',
  'worker: quarantine',
  'worker: publish',
  'worker: dispatch',
  'worker: to pacing',
  'pacer: quarantine',
  'pacer: publish',
  'pacer: claim hop',
  'pacer: dispatch',
  'pacer: put back',
] as const;
export type Step = (typeof steps)[number];

/** Steps that are batch calls: their answer tells which entries were done. */
export const batchSteps: ReadonlySet<Step> = new Set([
  'intake: read policy',
  'intake: send chunks',
  'worker: read accounts',
  'worker: read ledger',
  'worker: record',
  'worker: quarantine',
  'worker: publish',
  'worker: dispatch',
  'worker: to pacing',
  'pacer: quarantine',
  'pacer: publish',
  'pacer: dispatch',
  'pacer: put back',
]);

/** Batch steps whose answer names the entries done, so that it can leave one unmentioned. */
export const bulkSteps: ReadonlySet<Step> = new Set(
  [...batchSteps].filter((step) => !step.includes(': read ') && step !== 'worker: record'),
);

/** One call as the network sees it. */
export interface Request {
  readonly command: string;
  /** The call's target: the first key's `pk` and `sk`, a queue's name, or nothing. */
  readonly target: string;
  readonly update: string;
}

/** Names a call. One that has no name is new to the simulation, which must then learn of it. */
export function stepOf(role: Role, { command, target, update }: Request): Step {
  const step = role === 'intake' ? intakeStep(command, target, update) : workerStep(role, command, target);
  if (step === undefined) throw new Error(`The simulation knows no step for ${role} ${command} ${target} ${update}`);
  return step;
}

function intakeStep(command: string, target: string, update: string): Step | undefined {
  if (target.startsWith('rate#')) return 'intake: limiter';
  switch (command) {
    case 'BatchGetItem':
      return 'intake: read policy';
    case 'GetItem':
      return 'intake: read header';
    case 'PutItem':
      return 'intake: create header';
    case 'Query':
      return 'intake: read ledger';
    case 'SendMessageBatch':
      return 'intake: send chunks';
    case 'UpdateItem':
      if (update.includes('nonce')) return 'intake: take over header';
      return update.includes(':accepted') ? 'intake: mark accepted' : 'intake: give header up';
    default:
      return undefined;
  }
}

function workerStep(role: 'worker' | 'pacer', command: string, target: string): Step | undefined {
  switch (command) {
    case 'BatchGetItem':
      return /^(account|policy)#/.test(target) ? 'worker: read accounts' : 'worker: read ledger';
    case 'UpdateItem':
      return role === 'pacer' ? 'pacer: claim hop' : 'worker: write account';
    case 'BatchWriteItem':
      return 'worker: record';
    case 'PutItem':
      return 'worker: complete receipt';
    case 'PutEvents':
      return `${role}: publish`;
    case 'SendMessageBatch':
      if (target === 'quarantine') return `${role}: quarantine`;
      if (target === 'dispatch') return `${role}: dispatch`;
      return role === 'worker' ? 'worker: to pacing' : 'pacer: put back';
    default:
      return undefined;
  }
}
