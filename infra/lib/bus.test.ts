import { eventSchemas } from '@usher/contracts';
import { type } from 'arktype';
import { expect, test } from 'vitest';
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

const Document = type({
  components: { schemas: { AWSEvent: { 'x-amazon-events-detail-type': 'string' } } },
});
