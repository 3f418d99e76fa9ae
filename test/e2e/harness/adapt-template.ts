import { type } from 'arktype';

/**
 * What the emulator cannot take of the template that users deploy, as of ministack 1.5.33. Everything else is deployed
 * as it was synthesized.
 */
export const knownDifferences = {
  /** CloudFormation types that it refuses a whole template for. Nothing of the flow depends on them. */
  unknownTypes: [
    'AWS::EventSchemas::Registry',
    'AWS::EventSchemas::Schema',
    'AWS::Events::Archive',
    'AWS::Events::EventBusPolicy',
  ],
  /** It asks for `sqs:SendMessageBatch`; to IAM that call is `sqs:SendMessage`. */
  batchAction: { granted: 'sqs:SendMessage', asked: 'sqs:SendMessageBatch' },
  /** It fills in no value for this condition key, so that a grant under it never holds. */
  unknownConditionKey: 'events:source',
} as const;

const Statement = type({
  'Action?': 'string | string[]',
  'Condition?': type({ '[string]': type({ '[string]': 'unknown' }) }),
});
const Resource = type({ Type: 'string', 'Properties?': type({ 'PolicyDocument?': { Statement: Statement.array() } }) });
const Template = type('string.json.parse').to({ Resources: type({ '[string]': Resource }) });

/** How often each known difference was met; one that is met no longer is out of date. */
export interface Adaptations {
  readonly removedTypes: ReadonlySet<string>;
  readonly batchGrants: number;
  readonly conditions: number;
}

/** The template as the emulator can take it. Only what roles are granted is adapted; policies of queues stay. */
export function adaptTemplate(json: string): { readonly json: string; readonly adaptations: Adaptations } {
  const template = Template.assert(json);
  const removedTypes = new Set<string>();
  let batchGrants = 0;
  let conditions = 0;
  for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
    if (knownDifferences.unknownTypes.some((unknown) => unknown === Type)) {
      removedTypes.add(Type);
      delete template.Resources[id];
    }
    if (Type !== 'AWS::IAM::Policy') continue;
    for (const statement of Properties?.PolicyDocument?.Statement ?? []) {
      if (grantBatch(statement)) batchGrants++;
      if (dropCondition(statement)) conditions++;
    }
  }
  return { json: JSON.stringify(template), adaptations: { removedTypes, batchGrants, conditions } };
}

function grantBatch(statement: typeof Statement.infer): boolean {
  const { granted, asked } = knownDifferences.batchAction;
  const actions = [statement.Action ?? []].flat();
  if (!actions.includes(granted)) return false;
  statement.Action = [...actions, asked];
  return true;
}

function dropCondition({ Condition = {} }: typeof Statement.infer): boolean {
  const holding = Object.entries(Condition).filter(([, keys]) => knownDifferences.unknownConditionKey in keys);
  for (const [operator, keys] of holding) {
    delete keys[knownDifferences.unknownConditionKey];
    if (Object.keys(keys).length === 0) delete Condition[operator];
  }
  return holding.length > 0;
}
