import { describe, expect, test } from 'vitest';
import { chunk, idOf, settled } from './testing/deliver.ts';
import { published, taken } from './testing/scripted-clients.ts';
import { ScriptedStore } from './testing/scripted-store.ts';
import { eventIdOf, TestWorker } from './testing/test-worker.ts';

// Three accounts by turns: two of them fail, each from another place on, the third does not.
const batch = {
  a1: chunk('ada', 1),
  b1: chunk('bob', 1),
  c1: chunk('cid', 1),
  a2: chunk('ada', 2),
  c2: chunk('cid', 2),
  b2: chunk('bob', 2),
  a3: chunk('ada', 3),
  b3: chunk('bob', 3),
};
const ids = (...names: (keyof typeof batch)[]): string[] => names.map((name) => idOf(batch[name]));
const failing = new Set(ids('a2', 'b1'));
const again = ['a2', 'a3', 'b1', 'b2', 'b3'];
const done = ids('a1', 'c1', 'c2');

function scripted() {
  const store = new ScriptedStore();
  return { store, worker: new TestWorker({ store }) };
}

const dispatched = (worker: TestWorker): string[] =>
  worker.dispatches().map(({ dispatchId }) => dispatchId.slice(0, -2));
const used = (worker: TestWorker): string[] =>
  worker.eventIds('Quota Usage Recorded').map((id) => id.slice(0, -'#usage'.length));

describe('where two accounts of a batch fail, each comes again from its own first failure on, and the third is done', () => {
  test('by the ledger', async () => {
    const { store, worker } = scripted();
    for (const id of failing) store.failingEntries.add(id);
    expect((await settled(worker, batch)).toSorted()).toEqual(again);
    expect([used(worker), dispatched(worker)]).toEqual([done, done]);
  });

  test('by the table', async () => {
    const { store, worker } = scripted();
    for (const accountId of ['ada', 'bob']) store.failingWrites.set(accountId, 'before');
    expect((await settled(worker, batch)).toSorted()).toEqual(['a1', ...again]);
    expect(dispatched(worker)).toEqual(ids('c1', 'c2'));
  });

  test('by the bus', async () => {
    const { worker } = scripted();
    worker.answerPut = (entries) => ({
      Entries: entries.map(({ Detail = '' }) =>
        failing.has(eventIdOf(Detail).replace('#usage', '')) ? { ErrorCode: 'InternalFailure' } : { EventId: 'e' },
      ),
    });
    expect((await settled(worker, batch)).toSorted()).toEqual(again);
    expect(dispatched(worker)).toEqual(done);
  });

  test('by the dispatch queue', async () => {
    const { worker } = scripted();
    worker.answerSend = ({ entries }) =>
      taken(entries.filter(({ MessageBody = '' }) => ![...failing].some((id) => MessageBody.includes(`${id}#`))));
    expect((await settled(worker, batch)).toSorted()).toEqual(again);
  });

  test('and what came again is done once more, under the same ids, and counted once', async () => {
    const { store, worker } = scripted();
    for (const id of failing) store.failingEntries.add(id);
    await settled(worker, batch);
    store.failingEntries.clear();
    worker.answerPut = published;
    expect(await settled(worker, batch)).toEqual([]);
    expect(new Set(dispatched(worker))).toEqual(new Set(Object.values(batch).map(idOf)));
    expect(await Promise.all(['ada', 'bob', 'cid'].map((id) => worker.used(id)))).toEqual([3, 3, 2]);
  });
});
