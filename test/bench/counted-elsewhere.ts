import type { Line } from './summary.ts';

/**
 * zae-limiter 0.17 for Python makes its items in transactions, which dynalite does not have. So its calls were counted on
 * another endpoint, ministack 1.5.33, by zae-limiter/count_calls.py, and no rate is told: it would be that endpoint's.
 */
export const countedElsewhere: readonly Line[] = [
  {
    key: 'zae-limiter',
    name: 'zae-limiter acquire (counted on ministack)',
    algorithm: 'token bucket',
    endpoint: 'DynamoDB',
    callsPer1000: 1_050,
    readsPer1000: 33.3,
    overshoot: 0,
  },
];
