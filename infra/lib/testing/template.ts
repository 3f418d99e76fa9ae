import { type } from 'arktype';
import { Template } from 'aws-cdk-lib/assertions';
import { inject } from 'vitest';
import type { StageName } from './contexts.ts';

/** The template of a stage. */
export function templateOf(stage: StageName): Template {
  return Template.fromJSON(JSON.parse(inject('templates')[stage]));
}

export const prod = (): Template => templateOf('prod');

const Resource = type({
  Type: 'string',
  'Properties?': type({ '[string]': 'unknown' }),
  'DeletionPolicy?': 'string',
  'DependsOn?': 'string[]',
});
export type Resource = typeof Resource.infer;

/** The resources of a type, by their construct ids without the hash: `StorageTable`, `BookingsQueueBookings`. */
export function resourcesOf(template: Template, resourceType: string): Map<string, Resource> {
  const found = Object.entries(template.findResources(resourceType));
  return new Map(found.map(([logicalId, resource]) => [nameOf(logicalId), Resource.assert(resource)]));
}

/** The properties of one resource, with references to others as their names. */
export function propertiesOf(template: Template, resourceType: string, name: string): Record<string, unknown> {
  const resource = resourcesOf(template, resourceType).get(name);
  if (resource === undefined) throw new Error(`The template has no ${resourceType} called ${name}`);
  return type({ '[string]': 'unknown' }).assert(readable(resource.Properties ?? {}));
}

/** A value of a template with `Ref`, `Fn::GetAtt` and `Fn::Join` as plain text. */
export function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [key, inner] = entries[0] ?? [];
  if (entries.length === 1 && key === 'Ref') return nameOf(String(inner));
  if (entries.length === 1 && key === 'Fn::GetAtt' && Array.isArray(inner)) return nameOf(String(inner[0]));
  if (entries.length === 1 && key === 'Fn::Join' && Array.isArray(inner)) {
    return Array.isArray(inner[1]) ? inner[1].map(readable).join(String(inner[0])) : inner;
  }
  return Object.fromEntries(entries.map(([name, part]) => [name, readable(part)]));
}

/** The construct id of a logical id. */
export function nameOf(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, '');
}

const Statement = type({
  'Sid?': 'string',
  Effect: 'string',
  Action: 'string | string[]',
  'Resource?': 'unknown',
  'Condition?': 'unknown',
});

/** A role's permissions, one line per statement: `actions on resources`, and `if` its condition. */
export function permissionsOf(template: Template, role: string): string[] {
  const policies = [...resourcesOf(template, 'AWS::IAM::Policy').values()];
  const own = policies.filter(({ Properties }) => JSON.stringify(readable(Properties?.Roles)) === `["${role}"]`);
  const document = type({ Statement: Statement.array() });
  return own
    .flatMap(({ Properties }) => document.assert(Properties?.PolicyDocument).Statement)
    .map(({ Effect, Action, Resource: resource, Condition }) => {
      const on = [readable(resource)].flat().toSorted().join(', ');
      const condition = Condition === undefined ? '' : ` if ${JSON.stringify(readable(Condition))}`;
      return `${Effect} ${[Action].flat().toSorted().join(', ')} on ${on}${condition}`;
    })
    .toSorted();
}
