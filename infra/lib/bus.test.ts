import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventSchemas } from '@usher/contracts';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { toOpenApi30 } from './openapi30.ts';
import { prod, propertiesOf, resourcesOf, templateOf } from './testing/template.ts';

test('each stage has a bus of its own', () => {
  expect(propertiesOf(templateOf('dev'), 'AWS::Events::EventBus', 'EventsBus')).toMatchObject({ Name: 'usher-dev' });
  expect(propertiesOf(prod(), 'AWS::Events::EventBus', 'EventsBus')).toMatchObject({ Name: 'usher-prod' });
});

test('every event of Usher is archived and goes to the events queue, or to its dead letters', () => {
  const all = { source: ['usher.quota'] };
  expect(propertiesOf(prod(), 'AWS::Events::Archive', 'EventsArchive')).toMatchObject({
    SourceArn: 'EventsBus',
    EventPattern: all,
    RetentionDays: 30,
  });
  expect(propertiesOf(prod(), 'AWS::Events::Rule', 'EventsAllEvents')).toMatchObject({
    EventBusName: 'EventsBus',
    EventPattern: all,
    State: 'ENABLED',
    Targets: [{ Arn: 'Events', DeadLetterConfig: { Arn: 'EventsEventsDeadLetters' } }],
  });
});

test.each(['EventsPolicy', 'EventsEventsDeadLettersPolicy'])('%s lets this rule and no other send', (name) => {
  const { PolicyDocument } = propertiesOf(prod(), 'AWS::SQS::QueuePolicy', name);
  expect(PolicyDocument).toMatchObject({
    Statement: expect.arrayContaining([
      expect.objectContaining({
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Condition: { ArnEquals: { 'aws:SourceArn': 'EventsAllEvents' } },
      }),
    ]),
  });
});

test('every event has its schema in the registry of the stage', () => {
  const schemas = [...resourcesOf(prod(), 'AWS::EventSchemas::Schema').keys()].map((name) => {
    const schema = propertiesOf(prod(), 'AWS::EventSchemas::Schema', name);
    expect(schema).toMatchObject({ Type: 'OpenApi3', RegistryName: 'EventsSchemas' });
    return Document.assert(JSON.parse(String(schema.Content))).components.schemas.AWSEvent;
  });
  expect(schemas.map((event) => event['x-amazon-events-detail-type'])).toEqual(Object.keys(eventSchemas));
});

test.each(Object.keys(eventSchemas))(
  'the schema of %s is that of its file, in the words of the registry',
  (detailType) => {
    const name = detailType.replaceAll(' ', '');
    const file = `../../packages/contracts/schemas/${detailType.toLowerCase().replaceAll(' ', '-')}.json`;
    const {
      $schema: _,
      $id: __,
      title,
      ...schema
    } = Schema.assert(readFileSync(join(import.meta.dirname, file), 'utf8'));
    const { Content } = propertiesOf(prod(), 'AWS::EventSchemas::Schema', `Events${name}Schema`);
    expect(title).toBe(detailType);
    expect(Document.assert(JSON.parse(String(Content))).components.schemas).toMatchObject({
      [name]: toOpenApi30(schema),
    });
  },
);

const Schema = type('string.json.parse').to({ '[string]': 'unknown' });
const Document = type({
  components: { schemas: { AWSEvent: { 'x-amazon-events-detail-type': 'string' } } },
});
