/** The cost of one kind of work in calls to DynamoDB and its capacity units, counted on the wire. */
export interface Cost {
  readonly name: string;
  /** The amount of work that the figures are of. */
  readonly per: string;
  readonly calls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly bounds: CostBounds;
}

/** The most that a cost may be; what is not named has no bound. */
export interface CostBounds {
  readonly calls?: number;
  readonly readUnits?: number;
  readonly writeUnits?: number;
}

const kinds = { calls: 'calls', readUnits: 'read units', writeUnits: 'write units' } as const;

/** The bounds that a cost misses, one sentence each. */
export function missedCostBounds(cost: Cost): string[] {
  return (['calls', 'readUnits', 'writeUnits'] as const).flatMap((kind) => {
    const most = cost.bounds[kind];
    if (most === undefined || cost[kind] <= most) return [];
    return [`${cost.name} took ${cost[kind].toFixed(1)} ${kinds[kind]} for ${cost.per}; at most ${most} is asked.`];
  });
}
