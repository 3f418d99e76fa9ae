import { type } from 'arktype';
import { busArn, queueNameOfArn, ruleArn } from '../arn.ts';
import { AwsError, validationError } from '../aws-error.ts';
import { type Operation, serveAwsJson } from '../aws-json-server.ts';
import type { EndpointOptions, RunningEndpoint } from '../endpoint-server.ts';
import { validated } from '../operation.ts';
import type { SqsStores } from '../sqs/endpoint.ts';
import { EventEntry } from './event-entry.ts';
import { busNameOf, createPutEvents } from './put-events.ts';
import { createEventBridgeStore, type EventBridgeStore } from './store.ts';

const busNamePattern = /^[A-Za-z0-9._/-]{1,256}$/;
const ruleNamePattern = /^[A-Za-z0-9._-]{1,64}$/;

const CreateEventBusRequest = type({ Name: 'string' });
const DescribeEventBusRequest = type({ 'Name?': 'string' });
const PutRuleRequest = type({
  Name: 'string',
  'EventPattern?': 'string',
  'ScheduleExpression?': 'string',
  'State?': "'ENABLED' | 'DISABLED'",
  'EventBusName?': 'string',
});
const TargetRequest = type({
  Id: 'string',
  Arn: 'string',
  'SqsParameters?': { 'MessageGroupId?': 'string' },
  'Input?': 'string',
  'InputPath?': 'string',
  'InputTransformer?': 'object',
});
type TargetRequest = typeof TargetRequest.infer;
const PutTargetsRequest = type({
  Rule: 'string',
  'EventBusName?': 'string',
  Targets: TargetRequest.array().atLeastLength(1).atMostLength(100),
});
const PutEventsRequest = type({ Entries: EventEntry.array() });

/** Serves EventBridge's JSON protocol: buses, rules with event patterns, SQS targets, PutEvents. */
export function serveEventBridge(
  sqs: SqsStores,
  options: EndpointOptions & { readonly onError: (error: unknown) => void },
): Promise<RunningEndpoint> {
  return serveAwsJson(
    {
      name: 'eventbridge',
      targetPrefix: 'AWSEvents',
      contentType: 'application/x-amz-json-1.1',
      operations: new Map(Object.entries(operations(createEventBridgeStore(sqs.database), sqs))),
      onError: options.onError,
    },
    options,
  );
}

function operations(store: EventBridgeStore, sqs: SqsStores): Record<string, Operation> {
  const putEvents = createPutEvents(store, sqs);
  return {
    CreateEventBus: validated(
      CreateEventBusRequest,
      ({ Name }) => {
        if (!busNamePattern.test(Name)) throw validationError(`Event bus name ${Name} is not valid.`);
        if (store.hasBus(Name)) {
          throw new AwsError('ResourceAlreadyExistsException', `Event bus ${Name} already exists.`);
        }
        store.createBus(Name);
        return { EventBusArn: busArn(Name) };
      },
      validationError,
    ),
    DescribeEventBus: validated(
      DescribeEventBusRequest,
      ({ Name }) => {
        const bus = existingBus(store, Name);
        return { Name: bus, Arn: busArn(bus) };
      },
      validationError,
    ),
    PutRule: validated(PutRuleRequest, (request) => putRule(store, request), validationError),
    PutTargets: validated(
      PutTargetsRequest,
      ({ Rule, EventBusName, Targets }) => {
        const bus = existingBus(store, EventBusName);
        if (!store.hasRule(bus, Rule)) {
          throw new AwsError('ResourceNotFoundException', `Rule ${Rule} does not exist on EventBus ${bus}.`);
        }
        const targets = Targets.map((target) => readTarget(target, sqs));
        sqs.database.transaction(() => {
          for (const target of targets) store.putTarget(bus, Rule, target);
        });
        return { FailedEntryCount: 0, FailedEntries: [] };
      },
      validationError,
    ),
    PutEvents: validated(PutEventsRequest, ({ Entries }) => putEvents(Entries), validationError),
  };
}

function existingBus(store: EventBridgeStore, nameOrArn: string | undefined): string {
  const bus = busNameOf(nameOrArn);
  if (!store.hasBus(bus)) throw new AwsError('ResourceNotFoundException', `Event bus ${bus} does not exist.`);
  return bus;
}

function putRule(store: EventBridgeStore, request: typeof PutRuleRequest.infer): object {
  const bus = existingBus(store, request.EventBusName);
  if (!ruleNamePattern.test(request.Name)) throw validationError(`Rule name ${request.Name} is not valid.`);
  if (request.EventPattern === undefined || request.ScheduleExpression !== undefined) {
    throw validationError('This endpoint serves rules with an EventPattern and without a ScheduleExpression.');
  }
  store.putRule(bus, request.Name, request.EventPattern, request.State !== 'DISABLED');
  return { RuleArn: ruleArn(bus, request.Name) };
}

/** A target as the store keeps it. One that would lose events silently is refused: no queue, group or deduplication. */
function readTarget(target: TargetRequest, sqs: SqsStores): { id: string; queue: string; groupId: string | undefined } {
  const refuse = (reason: string): AwsError => validationError(`Target ${target.Id} is not valid: ${reason}`);
  if (target.Input !== undefined || target.InputPath !== undefined || target.InputTransformer !== undefined) {
    throw refuse('this endpoint delivers whole events only, without Input, InputPath or InputTransformer.');
  }
  const queue = sqs.queues.get(queueNameOfArn(target.Arn) ?? '');
  if (!queue) throw refuse(`${target.Arn} is not the ARN of a queue of this endpoint.`);
  const groupId = target.SqsParameters?.MessageGroupId;
  if (queue.fifo && groupId === undefined) throw refuse('a FIFO queue needs SqsParameters.MessageGroupId.');
  if (queue.fifo && !queue.settings.contentBasedDeduplication) {
    throw refuse('EventBridge gives no deduplication id, so the FIFO queue needs ContentBasedDeduplication.');
  }
  return { id: target.Id, queue: queue.name, groupId };
}
