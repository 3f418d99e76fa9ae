import { handOff } from './hand-off.ts';
import { computeFor, type Invocation, type Owner, sendOwned } from './invocation.ts';
import { workerMetrics } from './metrics.ts';
import { releaseTimes } from './release-times.ts';
import type { ChunkSlots } from './slots.ts';

/**
 * Sends what is due within 15 minutes to dispatch, the rest to pacing; marks as failed the deliveries for which a
 * message was not taken. Nothing of a chunk goes to pacing before all of its near slots were taken: whoever claims the
 * next hop takes over the later slots alone, and the delivery that has the near ones may lose by that.
 */
export async function sendHandOffs<D extends Owner>(
  deliveries: readonly D[],
  slotsOf: (one: D) => ChunkSlots,
  invocation: Invocation,
): Promise<void> {
  const { failed, ports } = invocation;
  const chunks = deliveries.flatMap((one) => computeFor([one], invocation, () => slotsOf(one)));
  const nowMs = ports.clock();
  const accounts = [...Map.groupBy(chunks, ({ accountId }) => accountId).values()];
  const releaseAt = new Map(
    accounts.flatMap((own) => computeFor(own, invocation, () => [...releaseTimes(own, nowMs)]).flat()),
  );
  const handOffs = chunks
    .filter(({ delivery }) => !failed.has(delivery.messageId))
    .flatMap((chunk) =>
      computeFor([chunk], invocation, () => {
        return { chunk, ...handOff(chunk, { releaseAt, nowMs, copy: ports.randomId() }) };
      }),
    );

  const dispatches = handOffs.flatMap(({ chunk: { delivery, accountId }, dispatches }) =>
    dispatches.map((message) => ({ delivery, accountId, message })),
  );
  const dispatched = await sendOwned(ports.config.dispatchQueueUrl, dispatches, invocation);
  ports.meter.count(workerMetrics.dispatched, dispatched);

  const pacings = handOffs.flatMap(({ chunk: { delivery, accountId }, pacing }) =>
    pacing === undefined || failed.has(delivery.messageId) ? [] : [{ delivery, accountId, message: pacing }],
  );
  const paced = await sendOwned(ports.config.pacingQueueUrl, pacings, invocation);
  ports.meter.count(workerMetrics.paced, paced);
}
