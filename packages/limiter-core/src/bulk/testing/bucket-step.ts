import { type Bucket, closeBucket, openBucket, type Rate, schedule } from '../token-bucket.ts';

/** One list of costs scheduled at an instant, on whatever the bucket was before. */
export function step(
  bucket: Bucket | undefined,
  nowMs: number,
  rate: Rate,
  costs: readonly number[],
  notBeforeMs?: number[],
) {
  const opened = openBucket(bucket, rate, nowMs);
  const scheduled = schedule(opened, rate, costs, notBeforeMs);
  return { ...scheduled, bucket: closeBucket({ ...opened, debtMicros: scheduled.debtMicros }, rate) };
}
