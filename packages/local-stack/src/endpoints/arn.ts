import { localRegion } from '@usher/loopback';

/** The region and account that every ARN of the embedded stack names. */
export const REGION = localRegion;
export const ACCOUNT_ID = '000000000000';

export const queueArn = (queueName: string): string => `arn:aws:sqs:${REGION}:${ACCOUNT_ID}:${queueName}`;
export const busArn = (busName: string): string => `arn:aws:events:${REGION}:${ACCOUNT_ID}:event-bus/${busName}`;

export function ruleArn(busName: string, ruleName: string): string {
  const path = busName === 'default' ? ruleName : `${busName}/${ruleName}`;
  return `arn:aws:events:${REGION}:${ACCOUNT_ID}:rule/${path}`;
}

const QUEUE_ARN = /^arn:aws:sqs:[a-z0-9-]+:\d{12}:([A-Za-z0-9_-]{1,75}\.fifo|[A-Za-z0-9_-]{1,80})$/;

/** The queue a queue ARN names, whatever its region and account; undefined for anything else. */
export const queueNameOfArn = (arn: string): string | undefined => QUEUE_ARN.exec(arn)?.[1];
