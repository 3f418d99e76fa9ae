import { eventSource } from '@usher/contracts';
import type { ReportEnvironment } from '@usher/report';
import { reportedDetailTypes } from '@usher/report';
import { reportTableDefinition } from '@usher/report/dynamodb';
import { Duration, RemovalPolicy, Stack, TimeZone, Validations } from 'aws-cdk-lib';
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { AnyPrincipal, Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import type { BookingsQueue } from './bookings-queue.ts';
import type { UsherBus } from './bus.ts';
import type { Deployment } from './config.ts';
import type { DispatchQueue } from './dispatch-queue.ts';
import { closer, reporter } from './numbers.ts';
import { createWorkQueue, type WorkQueue } from './queue.ts';
import { ServiceFunction } from './service-function.ts';
import type { StageSettings } from './stage-settings.ts';
import type { UsherTable } from './table.ts';

export interface ReportsProps {
  readonly settings: StageSettings;
  readonly deployment: Deployment;
  readonly table: UsherTable;
  readonly queues: BookingsQueue;
  readonly dispatch: DispatchQueue;
  readonly bus: UsherBus;
}

const everyRun = Duration.minutes(closer.everyMinutes);
const text = (name: string): { name: string; type: AttributeType } => ({ name, type: AttributeType.STRING });

/** Daily reports: a rule and a queue of their own, a table of facts, the closer and its schedule, the bucket. */
export class Reports extends Construct {
  readonly table: TableV2;
  readonly bucket: Bucket;
  readonly events: WorkQueue;
  /** The rule that puts the events of reports on their queue; the archive is replayed to it. */
  readonly rule: Rule;
  /** Puts events into the report's table. */
  readonly reporter: ServiceFunction;
  /** Writes the reports that are due. */
  readonly closer: ServiceFunction;

  constructor(scope: Construct, id: string, props: ReportsProps) {
    super(scope, id);
    const { settings, deployment, bus } = props;
    this.table = createTable(this, settings);
    this.bucket = createBucket(this);
    this.events = createWorkQueue(this, 'Facts', { name: 'report', settings });
    this.rule = new Rule(this, 'ReportedEvents', {
      eventBus: bus.bus,
      eventPattern: { source: [eventSource], detailType: [...reportedDetailTypes] },
      description: 'Events that daily reports are made of',
      targets: [new SqsQueue(this.events.queue, { deadLetterQueue: this.events.deadLetters })],
    });
    const environment = this.#environment(props);
    const shared = { settings, service: 'report', environment } as const;
    this.reporter = new ServiceFunction(this, 'Reporter', {
      ...shared,
      handler: 'consumeHandler',
      description: 'keeps the events that reports are made of',
      timeoutSeconds: reporter.timeoutSeconds,
      memoryMb: reporter.memoryMb,
      reservedConcurrency: deployment.reserveConcurrency ? reporter.maxConcurrency : undefined,
    });
    this.reporter.workOff(this.events.queue, reporter);
    this.#allowTable(this.reporter, ['BatchWriteItem']);
    this.closer = new ServiceFunction(this, 'Closer', {
      ...shared,
      handler: 'closeHandler',
      description: 'writes the daily reports that are due',
      timeoutSeconds: closer.timeoutSeconds,
      memoryMb: closer.memoryMb,
      reservedConcurrency: deployment.reserveConcurrency ? closer.maxConcurrency : undefined,
    });
    // The schedule's next run is the repeat of one that failed, and of one that found no execution free.
    this.closer.function.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: everyRun });
    this.#allowClosing(props);
    this.#limitWriters(deployment);
    this.#schedule(settings);
  }

  #environment({ deployment, table, queues, dispatch, bus }: ReportsProps): ReportEnvironment {
    const deadLetters = [queues.bookings, dispatch.dispatch, dispatch.pacing, this.events];
    return {
      USHER_TABLE: table.table.tableName,
      USHER_REPORT_TABLE: this.table.tableName,
      USHER_REPORT_BUCKET: this.bucket.bucketName,
      USHER_BUS: bus.bus.eventBusName,
      USHER_DEAD_LETTER_QUEUE_URLS: deadLetters.map((queue) => queue.deadLetters.queueUrl).join(','),
      USHER_DEFAULT_POLICY: JSON.stringify(deployment.defaultPolicy),
    };
  }

  #allowTable(to: ServiceFunction, actions: readonly string[]): void {
    to.allow(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [this.table.tableArn],
      }),
    );
  }

  /** The closer reads what the services keep, and writes runs, files and the event. Of the main table it may write nothing. */
  #allowClosing({ table, queues, dispatch }: ReportsProps): void {
    table.allow(this.closer, ['BatchGetItem'], ['account', 'policy', 'booking']);
    table.allow(this.closer, ['Query'], ['ledger']);
    table.allowDays(this.closer);
    this.#allowTable(this.closer, ['GetItem', 'PutItem', 'Query']);
    this.closer.allow(
      new PolicyStatement({ actions: ['s3:GetObject', 's3:PutObject'], resources: [this.bucket.arnForObjects('*')] }),
    );
    Validations.of(this.closer.role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${Stack.of(this).getLogicalId(cfnBucketOf(this.bucket))}.Arn>/*]`,
      reason:
        'The keys of a bucket of reports are made of dates, zones and accounts, and the closer writes all of them.',
    });
    // Without it S3 answers 403 where there is no such object.
    this.closer.allow(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] }));
    const looked = [queues.bookings, dispatch.dispatch, dispatch.pacing, this.events];
    this.closer.allow(
      new PolicyStatement({
        actions: ['sqs:GetQueueAttributes'],
        resources: looked.map(({ deadLetters }) => deadLetters.queueArn),
      }),
    );
  }

  /** Refuses files of everybody but the closer and operators, whatever their roles allow. */
  #limitWriters({ operatorArns }: Deployment): void {
    this.bucket.addToResourcePolicy(
      new PolicyStatement({
        sid: 'OnlyUsherWrites',
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['s3:PutObject'],
        resources: [this.bucket.arnForObjects('*')],
        conditions: { ArnNotLike: { 'aws:PrincipalArn': [this.closer.role.roleArn, ...operatorArns] } },
      }),
    );
  }

  #schedule({ stage }: StageSettings): void {
    const role = new Role(this, 'ScheduleRole', {
      // The service acts for schedules of every AWS account; this role is for those of ours.
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
      description: `Usher ${stage}: starts the closer of daily reports`,
    });
    role.addToPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.closer.function.functionArn] }),
    );
    new Schedule(this, 'Schedule', {
      schedule: ScheduleExpression.cron({ minute: `0/${closer.everyMinutes}`, timeZone: TimeZone.ETC_UTC }),
      target: new LambdaInvoke(this.closer.function, {
        role: role.withoutPolicyUpdates(),
        retryAttempts: 0,
        maxEventAge: everyRun,
      }),
      description: 'Writes the daily reports that are due',
    });
  }
}

function createTable(scope: Construct, settings: StageSettings): TableV2 {
  const { partitionKey, sortKey, ttlAttribute } = reportTableDefinition;
  return new TableV2(scope, 'Table', {
    partitionKey: text(partitionKey),
    sortKey: text(sortKey),
    timeToLiveAttribute: ttlAttribute,
    billing: Billing.onDemand(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    encryption: TableEncryptionV2.dynamoOwnedKey(),
    deletionProtection: settings.isProtected,
    removalPolicy: settings.removalPolicy,
  });
}

function createBucket(scope: Construct): Bucket {
  const bucket = new Bucket(scope, 'Bucket', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    // A file that is written over, by a run that is taken over or by hand, can be had back.
    versioned: true,
    lifecycleRules: [
      { noncurrentVersionExpiration: Duration.days(30), abortIncompleteMultipartUploadAfter: Duration.days(1) },
    ],
    // S3 deletes no bucket that has files, and a stack that is to delete it would stay half removed.
    removalPolicy: RemovalPolicy.RETAIN,
  });
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason:
      'Reports are read by a few operators and programs of the same AWS account. Who reads what is a matter of ' +
      'CloudTrail data events, which an account turns on for all of its buckets in one place.',
  });
  return bucket;
}

function cfnBucketOf(bucket: Bucket): CfnBucket {
  const { defaultChild } = bucket.node;
  if (!(defaultChild instanceof CfnBucket)) throw new Error('a bucket has no resource of its own');
  return defaultChild;
}
