import type { PutEventsRequest, PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import type { Served } from './served.ts';

/** One event that the bus took. */
export interface TakenEvent {
  readonly atMs: number;
  readonly detailType: string;
  readonly detail: string;
}

/** An event bus in memory: it takes events, in no particular order within a call, and forgets none. */
export class Bus {
  readonly taken: TakenEvent[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** PutEvents, entry by entry; the answer names its results by position, so what it leaves out is its end. */
  serve(
    { Entries = [] }: PutEventsRequest,
    fateOf: (index: number) => 'taken' | 'failed' | 'taken, not told' | 'failed, not told',
  ): Served {
    const bytes = Entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
    if (Entries.length === 0 || Entries.length > 10 || bytes >= 256 * 1024) {
      throw new Error(`PutEvents of ${Entries.length} entries, ${bytes} bytes`);
    }
    const taken = new Set<number>();
    return {
      steps: Entries.flatMap(({ DetailType = '', Detail = '' }, i) =>
        fateOf(i).startsWith('taken')
          ? [
              () => {
                taken.add(i);
                this.taken.push({ atMs: this.#now(), detailType: DetailType, detail: Detail });
              },
            ]
          : [],
      ),
      finish: () => {
        const untold = Entries.findIndex((_, i) => fateOf(i).endsWith('not told'));
        const told = untold < 0 ? Entries : Entries.slice(0, untold);
        const results = told.map((_, i) =>
          taken.has(i) ? { EventId: `event-${i}` } : { ErrorCode: 'InternalFailure', ErrorMessage: 'try again' },
        );
        return { Entries: results, FailedEntryCount: results.length - taken.size };
      },
    };
  }
}

function sizeOf({ Source = '', DetailType = '', Detail = '' }: PutEventsRequestEntry): number {
  return 14 + Buffer.byteLength(Source) + Buffer.byteLength(DetailType) + Buffer.byteLength(Detail);
}
