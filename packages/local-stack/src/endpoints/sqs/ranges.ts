import { invalidParameter } from './errors.ts';

/** Least and most of the numbers a request may carry. Source: SQS API Reference. */
const ranges = {
  DelaySeconds: [0, 900],
  MaxNumberOfMessages: [1, 10],
  MaxNumberOfMessagesPerSecond: [1, 500],
  MaxResults: [1, 10],
  VisibilityTimeout: [0, 43_200],
  WaitTimeSeconds: [0, 20],
} as const;

/** The value, if it is within its range. @throws AwsError InvalidParameterValue */
export function checkRange(name: keyof typeof ranges, value: number): number {
  const [least, most] = ranges[name];
  if (value < least || value > most) {
    throw invalidParameter(name, value, `Must be between ${least} and ${most}, if provided.`);
  }
  return value;
}
