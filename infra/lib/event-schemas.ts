import { eventSchemas, eventSource, type JsonSchema } from '@usher/contracts';
import { CfnRegistry, CfnSchema } from 'aws-cdk-lib/aws-eventschemas';
import type { Construct } from 'constructs';
import { toOpenApi30 } from './openapi30.ts';

/** Registers the schema of every event, so that consumers can look it up and have code made from it. */
export function addEventSchemas(scope: Construct, stage: string): void {
  const registry = new CfnRegistry(scope, 'Schemas', {
    registryName: `usher-${stage}`,
    description: 'Events on the bus of Usher',
  });
  for (const [detailType, schema] of Object.entries(eventSchemas)) {
    const name = detailType.replaceAll(' ', '');
    new CfnSchema(scope, `${name}Schema`, {
      registryName: registry.attrRegistryName,
      schemaName: `${eventSource}@${name}`,
      type: 'OpenApi3',
      description: `Detail of "${detailType}"`,
      content: JSON.stringify(eventDocument(detailType, name, schema)),
    });
  }
}

/** The document that EventBridge keeps for an event: its envelope, with the detail as a schema of its own. */
export function eventDocument(detailType: string, name: string, detail: JsonSchema): JsonSchema {
  const text = { type: 'string' };
  return {
    openapi: '3.0.0',
    info: { version: '1.0.0', title: name },
    paths: {},
    components: {
      schemas: {
        AWSEvent: {
          type: 'object',
          required: ['detail-type', 'resources', 'detail', 'id', 'source', 'time', 'region', 'version', 'account'],
          'x-amazon-events-detail-type': detailType,
          'x-amazon-events-source': eventSource,
          properties: {
            detail: { $ref: `#/components/schemas/${name}` },
            'detail-type': text,
            resources: { type: 'array', items: text },
            id: text,
            source: text,
            time: { type: 'string', format: 'date-time' },
            region: text,
            version: text,
            account: text,
          },
        },
        [name]: toOpenApi30(detail),
      },
    },
  };
}
