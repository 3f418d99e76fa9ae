import { queueNameOfArn } from '../arn.ts';
import type { AwsError } from '../aws-error.ts';
import type { Operation } from '../aws-json-server.ts';
import { validated } from '../operation.ts';
import { invalidParameter, sqsError } from './errors.ts';
import { describeMoveTask, handleOf, readMoveTaskHandle, type SqsMoveTasks } from './move-tasks.ts';
import { invalidRequest } from './queue-operations.ts';
import type { Queue, SqsQueueStore } from './queue-store.ts';
import { checkRange } from './ranges.ts';
import { CancelMessageMoveTaskRequest, ListMessageMoveTasksRequest, StartMessageMoveTaskRequest } from './requests.ts';

/** StartMessageMoveTask and its two companions, by which dead letters are redriven. */
export function moveTaskOperations(
  queues: SqsQueueStore,
  tasks: SqsMoveTasks,
  advance: () => void,
): Record<string, Operation> {
  function queueOf(arn: string): Queue {
    const name = queueNameOfArn(arn);
    const queue = name === undefined ? undefined : queues.get(name);
    if (queue === undefined)
      throw resourceNotFound("The resource that you specified for the SourceArn parameter doesn't exist.");
    return queue;
  }

  function destinationOf(source: Queue, arn: string): string {
    const target = queueOf(arn);
    if (target.fifo === source.fifo && target.name !== source.name) return target.name;
    throw invalidParameter('DestinationArn', arn, 'Must be another queue of the same type as the source.');
  }

  return {
    StartMessageMoveTask: validated(
      StartMessageMoveTaskRequest,
      ({ SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: rate }) => {
        const source = queueOf(SourceArn);
        if (!tasks.isDeadLetterQueue(source.name)) {
          throw sqsError('UnsupportedOperation', 'The source queue must be the dead-letter queue of another.');
        }
        const task = tasks.start({
          source,
          destination: DestinationArn === undefined ? undefined : destinationOf(source, DestinationArn),
          perSecond: rate === undefined ? undefined : checkRange('MaxNumberOfMessagesPerSecond', rate),
        });
        advance();
        return { TaskHandle: handleOf(task) };
      },
      invalidRequest,
    ),
    ListMessageMoveTasks: validated(
      ListMessageMoveTasksRequest,
      ({ SourceArn, MaxResults }) => {
        const source = queueOf(SourceArn);
        const max = checkRange('MaxResults', MaxResults ?? 1);
        advance();
        return { Results: tasks.list(source, max).map(describeMoveTask) };
      },
      invalidRequest,
    ),
    CancelMessageMoveTask: validated(
      CancelMessageMoveTaskRequest,
      ({ TaskHandle }) => {
        advance();
        const handle = readMoveTaskHandle(TaskHandle);
        const source = handle === undefined ? undefined : queueOf(handle.sourceArn);
        const [task] = source === undefined ? [] : tasks.list(source, 1);
        if (task === undefined || task.id !== handle?.taskId || task.status !== 'RUNNING') {
          throw resourceNotFound('No task with this handle is running.');
        }
        tasks.cancel(task);
        return { ApproximateNumberOfMessagesMoved: task.moved };
      },
      invalidRequest,
    ),
  };
}

function resourceNotFound(message: string): AwsError {
  return sqsError('ResourceNotFoundException', message);
}
