import { awsAccountId } from '../arn.ts';
import type { AwsError } from '../aws-error.ts';
import type { CallContext, Operation } from '../aws-json-server.ts';
import { validated } from '../operation.ts';
import { invalidParameter, sqsError } from './errors.ts';
import type { SqsMessageStore } from './message-store.ts';
import { checkQueueAttributes, type QueueAttributes } from './queue-attributes.ts';
import type { Queue, SqsQueueStore } from './queue-store.ts';
import {
  CreateQueueRequest,
  GetQueueAttributesRequest,
  ListQueuesRequest,
  QueueNameRequest,
  QueueRequest,
  SetQueueAttributesRequest,
} from './requests.ts';

const queueNamePattern = /^([A-Za-z0-9_-]{1,80}|[A-Za-z0-9_-]{1,75}\.fifo)$/;

/** The URL names the port of this run; only its last segment says which queue is meant, so an old URL still works. */
const queueUrl = (context: CallContext, name: string): string => `${context.baseUrl}/${awsAccountId}/${name}`;

export const invalidRequest = (problem: string): AwsError =>
  sqsError('InvalidParameterValueException', `One or more parameters are invalid. Reason: ${problem}`);

/** The queue of a `QueueUrl`, whatever its host and port. @throws AwsError QueueDoesNotExist */
export function findQueue(queues: SqsQueueStore, nameOrUrl: string): Queue {
  const queue = queues.get(nameOrUrl.slice(nameOrUrl.lastIndexOf('/') + 1));
  if (!queue) throw sqsError('QueueDoesNotExist', 'The specified queue does not exist.');
  return queue;
}

export function queueOperations(queues: SqsQueueStore, messages: SqsMessageStore): Record<string, Operation> {
  return {
    CreateQueue: validated(
      CreateQueueRequest,
      ({ QueueName, Attributes }, context) => ({
        QueueUrl: queueUrl(context, createQueue(queues, QueueName, Attributes ?? {}).name),
      }),
      invalidRequest,
    ),
    GetQueueUrl: validated(
      QueueNameRequest,
      ({ QueueName }, context) => ({ QueueUrl: queueUrl(context, findQueue(queues, QueueName).name) }),
      invalidRequest,
    ),
    ListQueues: validated(
      ListQueuesRequest,
      ({ QueueNamePrefix: prefix = '' }, context) => ({
        QueueUrls: queues
          .names()
          .filter((name) => name.startsWith(prefix))
          .map((name) => queueUrl(context, name)),
      }),
      invalidRequest,
    ),
    GetQueueAttributes: validated(
      GetQueueAttributesRequest,
      ({ QueueUrl, AttributeNames }) => ({
        Attributes: selectNamed(queues.describe(findQueue(queues, QueueUrl)), AttributeNames ?? []),
      }),
      invalidRequest,
    ),
    SetQueueAttributes: validated(
      SetQueueAttributesRequest,
      ({ QueueUrl, Attributes }) => {
        const queue = findQueue(queues, QueueUrl);
        checkAttributes(queues, queue.name, Attributes);
        queues.setAttributes(queue, Attributes);
        return {};
      },
      invalidRequest,
    ),
    DeleteQueue: validated(
      QueueRequest,
      ({ QueueUrl }) => {
        queues.delete(findQueue(queues, QueueUrl));
        return {};
      },
      invalidRequest,
    ),
    PurgeQueue: validated(
      QueueRequest,
      ({ QueueUrl }) => {
        messages.purge(findQueue(queues, QueueUrl));
        return {};
      },
      invalidRequest,
    ),
  };
}

/** A repeat with the same attributes (or fewer) answers the queue there is; another value for one is refused. */
function createQueue(queues: SqsQueueStore, name: string, attributes: QueueAttributes): Queue {
  if (!queueNamePattern.test(name)) {
    throw invalidParameter(
      'QueueName',
      name,
      'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.',
    );
  }
  if (name.endsWith('.fifo') !== (attributes.FifoQueue === 'true')) {
    throw invalidParameter('QueueName', name, 'The name of a FIFO queue, and of no other, ends with .fifo.');
  }
  checkAttributes(queues, name, attributes);
  const existing = queues.get(name);
  if (!existing) return queues.create(name, attributes);
  const current = queues.describe(existing);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (current[attribute] !== value) {
      throw sqsError(
        'QueueNameExists',
        `A queue already exists with the same name and a different value for attribute ${attribute}.`,
      );
    }
  }
  return existing;
}

function checkAttributes(queues: SqsQueueStore, name: string, attributes: QueueAttributes): void {
  const redrive = checkQueueAttributes(attributes, name).redrive;
  if (redrive && !queues.get(redrive.deadLetterQueue)) {
    throw invalidParameter('RedrivePolicy', attributes.RedrivePolicy ?? '', 'Dead letter target does not exist.');
  }
}

function selectNamed(attributes: Record<string, string>, wanted: readonly string[]): Record<string, string> {
  if (wanted.includes('All')) return attributes;
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => wanted.includes(name)));
}
