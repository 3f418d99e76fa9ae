import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConsumerStack } from './consumer-stack.ts';
import schema from './usage-event/quota-usage-recorded.json' with { type: 'json' };

let codeFolder: string;
beforeAll(() => {
  codeFolder = mkdtempSync(join(tmpdir(), 'usher-consumer-'));
  buildSync({
    entryPoints: [join(import.meta.dirname, 'handler.ts')],
    outfile: join(codeFolder, 'index.js'),
    bundle: true,
    platform: 'node',
    target: 'node24',
    logLevel: 'warning',
  });
});
afterAll(() => rmSync(codeFolder, { recursive: true }));

function templateOf(accountIds?: readonly string[]): Template {
  const stack = new ConsumerStack(new App(), 'consumer', {
    stage: 'dev',
    codeFolder,
    ...(accountIds === undefined ? {} : { accountIds }),
  });
  return Template.fromStack(stack);
}

test('the rule on the bus of the stage is for usage events', () => {
  templateOf().hasResourceProperties('AWS::Events::Rule', {
    EventBusName: 'usher-dev',
    EventPattern: { source: ['usher.quota'], 'detail-type': [schema.title], detail: Match.absent() },
  });
});

test('the rule can be for some accounts alone', () => {
  templateOf(['acme']).hasResourceProperties('AWS::Events::Rule', {
    EventPattern: Match.objectLike({ detail: { data: { accountId: ['acme'] } } }),
  });
});

test('what the rule cannot deliver and what the function fails on is kept for 14 days, and tells', () => {
  const template = templateOf();
  template.resourcePropertiesCountIs('AWS::SQS::Queue', { MessageRetentionPeriod: 14 * 86_400 }, 1);
  template.hasResourceProperties('AWS::Events::Rule', {
    Targets: [Match.objectLike({ DeadLetterConfig: { Arn: Match.anyValue() } })],
  });
  template.hasResourceProperties('AWS::SQS::Queue', { RedrivePolicy: { maxReceiveCount: 20 } });
  template.resourceCountIs('AWS::CloudWatch::Alarm', 1);
});

test('messages that fail come again without the rest of their batch', () => {
  templateOf().hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    FunctionResponseTypes: ['ReportBatchItemFailures'],
  });
});

test('the table forgets items in time, and the function may only put and update them', () => {
  const template = templateOf();
  template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
  });
  template.hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({ Action: ['dynamodb:PutItem', 'dynamodb:UpdateItem'], Effect: 'Allow' }),
      ]),
    },
  });
});

test('the built function starts, and takes an empty batch', async () => {
  const { handler } = createRequire(import.meta.url)(join(codeFolder, 'index.js'));
  expect(await handler({ Records: [] })).toEqual({ batchItemFailures: [] });
});
