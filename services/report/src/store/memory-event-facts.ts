import { dayShardOf } from '@usher/contracts';
import { type EventFacts, factId, type LateMark, markId, type QuarantineFact, type UsageFact } from './event-facts.ts';
import { quarantineDay } from './quarantine-day.ts';

/** Facts of events in memory, for tests and simulations. */
export class MemoryEventFacts implements EventFacts {
  readonly #usage = new Map<string, Map<string, UsageFact>>();
  readonly #quarantined = new Map<string, Map<string, QuarantineFact>>();
  readonly #accounts = new Set<string>();
  readonly #marks = new Map<string, LateMark>();

  async put({ usage, quarantined }: Parameters<EventFacts['put']>[0]): Promise<ReadonlyMap<string, Error>> {
    for (const fact of usage) into(this.#usage, `${fact.accountId}#${fact.event.data.window.date}`, fact);
    for (const fact of quarantined) into(this.#quarantined, quarantineDay(fact), fact);
    return new Map();
  }

  async noteAccounts(accountIds: readonly string[]): Promise<void> {
    for (const accountId of accountIds) this.#accounts.add(accountId);
  }

  async noteLate(marks: readonly LateMark[]): Promise<void> {
    for (const mark of marks) this.#marks.set(markId(mark), mark);
  }

  async usage(accountId: string, date: string): Promise<readonly UsageFact[]> {
    return [...(this.#usage.get(`${accountId}#${date}`)?.values() ?? [])];
  }

  async quarantined(day: string): Promise<readonly QuarantineFact[]> {
    return [...(this.#quarantined.get(day)?.values() ?? [])];
  }

  async *accounts(shard: number): AsyncGenerator<string> {
    for (const accountId of this.#accounts) if (dayShardOf(accountId) === shard) yield accountId;
  }

  async marks(): Promise<readonly LateMark[]> {
    return [...this.#marks.values()];
  }
}

function into<F extends UsageFact | QuarantineFact>(
  partitions: Map<string, Map<string, F>>,
  partition: string,
  fact: F,
): void {
  const facts = partitions.get(partition) ?? new Map<string, F>();
  partitions.set(partition, facts.set(factId(fact), fact));
}
