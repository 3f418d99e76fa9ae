import { type } from 'arktype';
import { queueNameOfArn } from '../arn.ts';
import { invalidParameter, sqsError } from './errors.ts';

/** A queue's attributes as the caller gave them: strings, as the API has them. */
export type QueueAttributes = Readonly<Record<string, string>>;

/** The attributes with their defaults, as the stores read them. Times in seconds, as SQS has them. */
export interface QueueSettings {
  readonly delaySeconds: number;
  readonly maximumMessageBytes: number;
  readonly retentionSeconds: number;
  readonly receiveWaitSeconds: number;
  readonly visibilityTimeoutSeconds: number;
  readonly contentBasedDeduplication: boolean;
  readonly deduplicationPerGroup: boolean;
  readonly redrive: { readonly deadLetterQueue: string; readonly maxReceiveCount: number } | undefined;
}

/** [least, most, default]; source: CreateQueue in the SQS API Reference, with the 1 MiB messages of August 2025. */
const numberRanges: Readonly<Record<string, readonly [number, number, number]>> = {
  DelaySeconds: [0, 900, 0],
  MaximumMessageSize: [1024, 1_048_576, 1_048_576],
  MessageRetentionPeriod: [60, 1_209_600, 345_600],
  ReceiveMessageWaitTimeSeconds: [0, 20, 0],
  VisibilityTimeout: [0, 43_200, 30],
};

const choicesByName: Readonly<Record<string, readonly string[]>> = {
  FifoQueue: ['true'],
  ContentBasedDeduplication: ['true', 'false'],
  DeduplicationScope: ['queue', 'messageGroup'],
  FifoThroughputLimit: ['perQueue', 'perMessageGroupId'],
  SqsManagedSseEnabled: ['true', 'false'],
};

const fifoOnly = new Set(['FifoQueue', 'ContentBasedDeduplication', 'DeduplicationScope', 'FifoThroughputLimit']);

/** Kept and given back, without effect here: nothing is encrypted and nobody is kept out but by loopback. */
const keptOnly = new Set(['Policy', 'KmsMasterKeyId', 'KmsDataKeyReusePeriodSeconds', 'RedriveAllowPolicy']);

const RedrivePolicy = type('string.json.parse').to({
  deadLetterTargetArn: 'string',
  maxReceiveCount: type('1 <= number.integer <= 1000').or(type('string.integer.parse').to('1 <= number <= 1000')),
});

/** The settings these attributes ask for; refuses unknown names and bad values. An empty RedrivePolicy unsets it. */
export function checkQueueAttributes(attributes: QueueAttributes, queueName: string): QueueSettings {
  const fifo = queueName.endsWith('.fifo');
  for (const [name, value] of Object.entries(attributes)) {
    if (fifoOnly.has(name) && !fifo) throw sqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
    if (!isValid(name, value)) throw invalidValue(name);
  }
  const settings = settingsOf(attributes);
  if (settings.redrive && settings.redrive.deadLetterQueue.endsWith('.fifo') !== fifo) {
    throw invalidParameter(
      'RedrivePolicy',
      attributes.RedrivePolicy ?? '',
      'Dead-letter queue must be same type of queue as the source.',
    );
  }
  return settings;
}

function isValid(name: string, value: string): boolean {
  const range = Object.hasOwn(numberRanges, name) ? numberRanges[name] : undefined;
  if (range) return /^\d{1,9}$/.test(value) && Number(value) >= range[0] && Number(value) <= range[1];
  const choices = Object.hasOwn(choicesByName, name) ? choicesByName[name] : undefined;
  if (choices) return choices.includes(value);
  if (name === 'RedrivePolicy') return value === '' || readRedrive(value) !== undefined;
  if (keptOnly.has(name)) return true;
  throw sqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
}

const invalidValue = (name: string): Error =>
  sqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);

function readRedrive(value: string): QueueSettings['redrive'] {
  const policy = RedrivePolicy(value);
  if (policy instanceof type.errors) return undefined;
  const deadLetterQueue = queueNameOfArn(policy.deadLetterTargetArn);
  return deadLetterQueue ? { deadLetterQueue, maxReceiveCount: policy.maxReceiveCount } : undefined;
}

export function settingsOf(attributes: QueueAttributes): QueueSettings {
  const number = (name: keyof typeof numberRanges): number => Number(attributes[name] ?? numberRanges[name]?.[2]);
  return {
    delaySeconds: number('DelaySeconds'),
    maximumMessageBytes: number('MaximumMessageSize'),
    retentionSeconds: number('MessageRetentionPeriod'),
    receiveWaitSeconds: number('ReceiveMessageWaitTimeSeconds'),
    visibilityTimeoutSeconds: number('VisibilityTimeout'),
    contentBasedDeduplication: attributes.ContentBasedDeduplication === 'true',
    deduplicationPerGroup: attributes.DeduplicationScope === 'messageGroup',
    redrive: readRedrive(attributes.RedrivePolicy ?? ''),
  };
}

const fifoDefaults = {
  ContentBasedDeduplication: 'false',
  DeduplicationScope: 'queue',
  FifoThroughputLimit: 'perQueue',
} as const;

/** The attributes with what GetQueueAttributes answers for those never set. */
export function withDefaults(attributes: QueueAttributes): Record<string, string> {
  const numbers = Object.entries(numberRanges).map(([name, range]) => [name, String(range[2])] as const);
  const fifo = attributes.FifoQueue === 'true' ? fifoDefaults : {};
  return { ...Object.fromEntries(numbers), SqsManagedSseEnabled: 'true', ...fifo, ...attributes };
}
