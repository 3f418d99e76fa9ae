import { RateLimiterDynamo, RateLimiterRes } from 'rate-limiter-flexible';
import { newClient } from './client.ts';
import { type Contender, type PreparedRun, WrongResultError } from './contender.ts';
import { inParallel } from './in-parallel.ts';
import { meter } from './meter.ts';
import { rateLimiterTable } from './tables.ts';
import { interleaved, type Work } from './work.ts';

export const rateLimiterName = 'rate-limiter-flexible';

/**
 * npm's rate-limiter-flexible on DynamoDB, one consume per reservation. Tuned by its own options: no creation of the
 * table, no question about TTL, and what is over the limit is refused from memory, which spares it the calls of denials.
 */
export function rateLimiterFlexible(endpoint: string, reservationsPerAccount: number): Contender {
  const client = newClient(endpoint);
  const takeTally = meter(client);
  const prepare = (work: Work): PreparedRun => {
    const limiter = new RateLimiterDynamo({
      storeClient: client,
      tableName: rateLimiterTable,
      tableCreated: true,
      ttlSet: true,
      points: work.limit,
      duration: 86_400,
      inMemoryBlockOnConsumed: work.limit,
    });
    return {
      decide: async (width) => {
        const granted = new Map<string, number>();
        await inParallel(interleaved(work), width, async (accountId) => {
          if (await consumes(limiter, accountId)) granted.set(accountId, (granted.get(accountId) ?? 0) + 1);
        });
        return granted;
      },
      verify: async () => {
        for (const { accountId } of work.accounts) {
          const consumed = (await limiter.get(accountId))?.consumedPoints ?? 0;
          if (consumed < work.limit) {
            throw new WrongResultError(rateLimiterName, accountId, `its counter says ${consumed} of ${work.limit}`);
          }
        }
        takeTally();
      },
    };
  };
  return {
    name: rateLimiterName,
    key: 'rlf',
    reservationsPerAccount,
    widths: [8, 16, 32],
    takeTally,
    prepare,
    close: () => client.destroy(),
  };
}

async function consumes(limiter: RateLimiterDynamo, accountId: string): Promise<boolean> {
  try {
    await limiter.consume(accountId);
    return true;
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return false;
    throw refused;
  }
}
