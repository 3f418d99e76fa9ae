import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { usagePattern } from './usage-pattern.ts';
import { tableKeys } from './usage-table.ts';

export interface ConsumerStackProps extends StackProps {
  /** The stage of Usher whose bus is listened to. */
  readonly stage: string;
  /** The accounts of interest. @default all */
  readonly accountIds?: readonly string[];
  /** The folder of the built handler, `index.js`. */
  readonly codeFolder: string;
}

const timeoutSeconds = 30;
/** Tries of a message before it is a dead letter: an outage of an hour loses nothing. */
const maxReceives = 20;

/** A rule on Usher's bus → a queue → a function → a table, with one queue for all that fails. */
export class ConsumerStack extends Stack {
  constructor(scope: Construct, id: string, { stage, accountIds, codeFolder, ...props }: ConsumerStackProps) {
    super(scope, id, props);
    const deadLetters = new Queue(this, 'DeadLetters', { enforceSSL: true, retentionPeriod: Duration.days(14) });
    const events = new Queue(this, 'Events', {
      enforceSSL: true,
      // Lambda asks for six times its timeout (developer guide, "Using Lambda with Amazon SQS").
      visibilityTimeout: Duration.seconds(6 * timeoutSeconds),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: maxReceives },
    });
    const { source, 'detail-type': detailType, detail } = usagePattern(accountIds);
    const rule = new Rule(this, 'Usage', {
      eventBus: EventBus.fromEventBusName(this, 'Bus', `usher-${stage}`),
      description: 'Usage of every decided chunk, to a consumer',
      eventPattern: { source, detailType, ...(detail === undefined ? {} : { detail }) },
      targets: [new SqsQueue(events, { deadLetterQueue: deadLetters })],
    });
    const table = new TableV2(this, 'UsageTable', {
      partitionKey: { name: tableKeys.partitionKey, type: AttributeType.STRING },
      sortKey: { name: tableKeys.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: tableKeys.timeToLive,
    });
    const consumer = new LambdaFunction(this, 'Consumer', {
      code: Code.fromAsset(codeFolder),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: Duration.seconds(timeoutSeconds),
      memorySize: 512,
      environment: { USAGE_TABLE: table.tableName },
    });
    table.grant(consumer, 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    consumer.addEventSource(
      new SqsEventSource(events, { batchSize: 10, maxConcurrency: 5, reportBatchItemFailures: true }),
    );
    new Alarm(this, 'DeadLettersNotEmpty', {
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum' }),
      threshold: 1,
      evaluationPeriods: 1,
      alarmDescription: 'Events of Usher that could not be taken',
    });
    new CfnOutput(this, 'RuleArn', { value: rule.ruleArn });
    new CfnOutput(this, 'DeadLettersUrl', { value: deadLetters.queueUrl });
  }
}
