import { type } from 'arktype';
import type { Database } from '../database.ts';
import { compileEventPattern, type EventMatcher } from './event-pattern.ts';

/** A queue that a rule sends matching events to; `groupId` for FIFO and fair queues. */
export interface Target {
  readonly id: string;
  readonly queue: string;
  readonly groupId: string | undefined;
}

interface Rule {
  readonly name: string;
  readonly enabled: boolean;
  readonly matches: EventMatcher;
  readonly targets: Map<string, Target>;
}

const BusRow = type({ name: 'string' });
const RuleRow = type({ bus: 'string', name: 'string', pattern: 'string', enabled: '0 | 1' });
const TargetRow = type({ bus: 'string', rule: 'string', id: 'string', queue: 'string', group_id: 'string | null' });

export type EventBridgeStore = ReturnType<typeof createEventBridgeStore>;

/** Buses, rules and targets. They are few and read at every event, so they are also held in memory. */
export function createEventBridgeStore(database: Database) {
  const { sql } = database;
  const buses = new Map<string, Map<string, Rule>>([['default', new Map()]]);
  const addBus = sql.prepare('INSERT INTO buses VALUES (?)');
  const putRule = sql.prepare('INSERT OR REPLACE INTO rules VALUES (?, ?, ?, ?)');
  const putTarget = sql.prepare('INSERT OR REPLACE INTO targets VALUES (?, ?, ?, ?, ?)');

  function setRule(bus: string, name: string, pattern: string, enabled: boolean): void {
    const rules = buses.get(bus);
    const targets = rules?.get(name)?.targets ?? new Map<string, Target>();
    rules?.set(name, { name, enabled, matches: compileEventPattern(pattern), targets });
  }

  const setTarget = (bus: string, rule: string, target: Target): void =>
    void buses.get(bus)?.get(rule)?.targets.set(target.id, target);

  for (const row of sql.prepare('SELECT * FROM buses').all()) buses.set(BusRow.assert(row).name, new Map());
  for (const row of sql.prepare('SELECT * FROM rules').all()) {
    const { bus, name, pattern, enabled } = RuleRow.assert(row);
    setRule(bus, name, pattern, enabled === 1);
  }
  for (const row of sql.prepare('SELECT * FROM targets').all()) {
    const { bus, rule, id, queue, group_id } = TargetRow.assert(row);
    setTarget(bus, rule, { id, queue, groupId: group_id ?? undefined });
  }

  return {
    hasBus: (bus: string): boolean => buses.has(bus),
    hasRule: (bus: string, rule: string): boolean => buses.get(bus)?.has(rule) === true,

    createBus: (bus: string): void => {
      addBus.run(bus);
      buses.set(bus, new Map());
    },

    /** Creates the rule or replaces its pattern and state; its targets stay. The pattern is compiled first. */
    putRule: (bus: string, name: string, pattern: string, enabled: boolean): void => {
      setRule(bus, name, pattern, enabled);
      putRule.run(bus, name, pattern, enabled ? 1 : 0);
    },

    putTarget: (bus: string, rule: string, target: Target): void => {
      putTarget.run(bus, rule, target.id, target.queue, target.groupId ?? null);
      setTarget(bus, rule, target);
    },

    /** Every target of every enabled rule of the bus that matches. */
    targetsOf: (bus: string, envelope: unknown): Target[] =>
      [...(buses.get(bus)?.values() ?? [])]
        .filter((rule) => rule.enabled && rule.matches(envelope))
        .flatMap((rule) => [...rule.targets.values()]),
  };
}
