import { localRegion } from '@usher/loopback';

/** The AWS account that every ARN of the embedded stack names; its region is `localRegion`. */
export const awsAccountId = '000000000000';

export const queueArn = (queueName: string): string => `arn:aws:sqs:${localRegion}:${awsAccountId}:${queueName}`;
export const busArn = (busName: string): string => `arn:aws:events:${localRegion}:${awsAccountId}:event-bus/${busName}`;

export function ruleArn(busName: string, ruleName: string): string {
  const path = busName === 'default' ? ruleName : `${busName}/${ruleName}`;
  return `arn:aws:events:${localRegion}:${awsAccountId}:rule/${path}`;
}

const queueArnPattern = /^arn:aws:sqs:[a-z0-9-]+:\d{12}:([A-Za-z0-9_-]{1,75}\.fifo|[A-Za-z0-9_-]{1,80})$/;

/** The queue a queue ARN names, whatever its region and account; undefined for anything else. */
export const queueNameOfArn = (arn: string): string | undefined => queueArnPattern.exec(arn)?.[1];
