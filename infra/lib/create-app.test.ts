import { type } from 'arktype';
import { type App, Stack, Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { createApp } from './create-app.ts';
import { contextOf } from './testing/contexts.ts';
import { propertiesOf, resourcesOf, templateOf } from './testing/template.ts';

const Acknowledged = type({ id: 'string', reason: 'string' }).or(type({ '[string]': 'unknown' }));

/** The rules that were acknowledged anywhere in an app, with the path of the construct. */
function acknowledged(app: App): [string, unknown][] {
  return app.node
    .findAll()
    .flatMap((construct) =>
      construct.node.metadata
        .filter((entry) => entry.type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .map(({ data }): [string, unknown] => [construct.node.path, Acknowledged.assert(data)]),
    );
}

const Named = type({ Type: 'string', 'Properties?': type({ '[string]': 'unknown' }) });
const nameProperty = /^(Alarm|Archive|Dashboard|Function|LogGroup|Queue|Registry|Role|Rule|Table|Topic)Name$/;

/** The names that resources of a stage are given, instead of CloudFormation making them. */
function physicalNames(stage: 'dev' | 'prod'): string[] {
  return Object.values(templateOf(stage).toJSON().Resources).flatMap((resource) => {
    const { Type, Properties = {} } = Named.assert(resource);
    return Object.entries(Properties)
      .filter(([key]) => nameProperty.test(key) || (key === 'Name' && Type === 'AWS::Events::EventBus'))
      .flatMap(([key, name]) => (typeof name === 'string' ? [`${key}=${name}`] : []));
  });
}

describe('AwsSolutions of cdk-nag', () => {
  test('stops the synthesis of anything that breaks a rule', () => {
    const { app, stack } = createApp(contextOf('dev'));
    new Queue(stack, 'Unprotected');
    expect(() => app.synth()).toThrow(/usher-dev\/Unprotected.*AwsSolutions-SQS3/s);
  });

  test('is acknowledged where a reason is written down, and nowhere else', () => {
    const { app } = createApp(contextOf('prod'));
    const places = acknowledged(app).map(([path]) => path);
    expect(places).toEqual([
      'usher-prod/BookingsQueue/Quarantine',
      'usher-prod/Http/--openapi.json',
      'usher-prod/Http/--health',
      'usher-prod/Http/--problems--{name}',
      'usher-prod/Reports/Bucket',
      'usher-prod/Reports/Closer/Role',
    ]);
  });
});

describe('an app', () => {
  test('depends on no account, no Region and no look-up', () => {
    const { app, stack } = createApp(contextOf('dev'));
    expect(Stack.of(stack).environment).toBe('aws://unknown-account/unknown-region');
    expect(app.synth().manifest.missing ?? []).toEqual([]);
  });

  test('refuses a setting that it does not know', () => {
    expect(() => createApp(contextOf('dev', { jwtAudiance: 'x' }))).toThrow('did you mean jwtAudience?');
  });

  test('shares no name between its stages, so that both fit one AWS account', () => {
    const shared = physicalNames('dev').filter((name) => physicalNames('prod').includes(name));
    expect(shared).toEqual([]);
    expect(physicalNames('prod')).toContain('Name=usher-prod');
  });

  test('protects production from deletion', () => {
    expect(createApp(contextOf('prod')).stack.terminationProtection).toBe(true);
    expect(createApp(contextOf('dev')).stack.terminationProtection).toBe(false);
  });

  test('shows every alarm on the dashboard', () => {
    const { DashboardBody } = propertiesOf(templateOf('prod'), 'AWS::CloudWatch::Dashboard', 'Dashboard');
    for (const alarm of resourcesOf(templateOf('prod'), 'AWS::CloudWatch::Alarm').keys()) {
      expect(String(DashboardBody)).toContain(alarm);
    }
  });
});
