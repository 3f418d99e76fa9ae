import { type Bucket, bucketOwing, debtAt, type Rate, schedule } from '../token-bucket.ts';

/** One list of costs scheduled at an instant, on whatever the bucket was before. */
export function step(
  bucket: Bucket | undefined,
  nowMs: number,
  rate: Rate,
  costs: readonly number[],
  notBeforeMs?: number[],
) {
  const debtMicros = debtAt(bucket, rate.refillPerSecond, nowMs);
  const scheduled = schedule({ debtMicros, nowMs }, rate, costs, notBeforeMs);
  return { ...scheduled, bucket: bucketOwing(scheduled.debtMicros, rate.refillPerSecond, nowMs) };
}
