import { Problem, problemMediaType, problems } from '@usher/contracts';
import { virtualClock } from '@usher/limiter-core';
import { devTokenCaller } from '@usher/local-stack/testing';
import { cheapClients, type Written } from './cheap-table.ts';
import { canary, expectCleanPrototypes, nameCanary } from './hostile-values.ts';
import { recordedIntake } from './recorded-intake.ts';
import { noon } from './world.ts';

/** The HTTP API in this process, as the embedded stack serves it, over clients that cost nothing. */
export interface HostileIntake {
  /** Sends a request and holds the answer, the log and what was written against the rules for every answer. */
  probe(request: Request): Promise<{ readonly status: number; readonly text: string }>;
  /** Answers by status. */
  readonly statuses: Map<number, number>;
}

/** Whoever is hostile here is so without a pause, and the clock stands still. */
const unlimited = { burst: 1_000_000, refillPerSecond: 1_000 };

const statusOf = new Map<string, number>(
  Object.entries(problems).map(([name, { status }]) => [`/problems/${name}`, status]),
);

/**
 * @param options.namesCarryIt whether values of the input may have become names of fields, which pointers show.
 * @default false
 */
export function hostileIntake({ namesCarryIt = false }: { namesCarryIt?: boolean } = {}): HostileIntake {
  const clients = cheapClients();
  const { app, logged } = recordedIntake({
    ...clients,
    authenticate: devTokenCaller,
    clock: virtualClock(noon),
    requests: { reads: unlimited, refusals: unlimited },
  });
  const statuses = new Map<number, number>();
  const probe: HostileIntake['probe'] = async (request) => {
    clients.clear();
    logged.length = 0;
    const isHead = request.method === 'HEAD';
    const response = await app.fetch(request);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    const text = await response.text();
    expectSafeAnswer(response, text, { isHead, namesCarryIt });
    if (response.status >= 400 && clients.written.length > 0)
      throw new Error('A refused request left something behind.');
    for (const one of clients.written) expectKnownKeys(one);
    for (const line of logged.map((entry) => JSON.stringify(entry))) {
      if (line.includes(canary) || line.includes(nameCanary)) throw new Error(`Logged: ${line}`);
    }
    expectCleanPrototypes();
    return { status: response.status, text };
  };
  return { probe, statuses };
}

function expectSafeAnswer(
  response: Response,
  text: string,
  { isHead, namesCarryIt }: { isHead: boolean; namesCarryIt: boolean },
): void {
  const { status, headers } = response;
  if (status >= 500) throw new Error(`Answered ${status}: ${text}`);
  const shown = [...headers].flat().join('\n');
  if (shown.includes(canary) || shown.includes(nameCanary)) throw new Error(`A header repeats the input: ${shown}`);
  if (text.includes(canary) && !namesCarryIt) throw new Error(`The answer repeats a value: ${text}`);
  // Only the API's description, which is the same for everyone, may be stored; it alone has a tag.
  const isDescription = status < 400 && headers.has('ETag');
  if (!isDescription && headers.get('Cache-Control') !== 'no-store') throw new Error('The answer may be stored.');
  if (!headers.has('X-Request-Id')) throw new Error('The answer names no request.');
  if (status < 400 || isHead) return;
  if (headers.get('Content-Type') !== problemMediaType) throw new Error(`${status} is no problem: ${text}`);
  const problem = Problem.assert(JSON.parse(text));
  if (statusOf.get(problem.type) !== status || problem.status !== status) throw new Error(`Unknown problem: ${text}`);
  if (problem.requestId !== headers.get('X-Request-Id')) throw new Error(`The answer names another request: ${text}`);
  const { errors: _, ...frame } = problem;
  const outside = JSON.stringify([frame, problem.errors?.map(({ detail }) => detail)]);
  if (outside.includes(nameCanary) || outside.includes(canary)) throw new Error(`Shown outside of pointers: ${text}`);
}

/** Every key that intake writes has one of these forms; of an input it holds the caller's account alone. */
function expectKnownKeys({ command, input }: Written): void {
  const { Key, Item, Entries } = input;
  if (command === 'SendMessageBatchCommand') {
    for (const { MessageGroupId: group, MessageDeduplicationId: id } of Array.isArray(Entries) ? Entries : []) {
      const isKnown = group === 'ada' && /^bk_[a-z2-7]{35}#\d{1,5}$/.test(id);
      if (!isKnown) throw new Error(`A message's ids are ${group} and ${id}`);
    }
    return;
  }
  const key: unknown = Key ?? Item;
  const { pk, sk }: { pk?: unknown; sk?: unknown } = typeof key === 'object' && key !== null ? key : {};
  const [partition, sort] = [pk, sk].map((value) =>
    // The limiter's store names its keys as attributes, without a document client.
    typeof value === 'object' && value !== null && 'S' in value ? value.S : value,
  );
  const isKnown = /^(booking#bk_[a-z2-7]{26} header|rate#submission:ada limit)$/.test(`${partition} ${sort}`);
  if (!isKnown) throw new Error(`An item's key is ${partition} and ${sort}`);
}
