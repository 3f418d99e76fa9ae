import { builtInPolicy, InvalidPolicyError, type PolicyOverrides, resolvePolicy } from '@usher/limiter-core/bulk';
import { type } from 'arktype';
import { unknownKeys } from './context-keys.ts';
import { issuerFault } from './issuer.ts';
import { claimName, decimal, flag, jsonObject, pageUrl, principals, words } from './setting-values.ts';

const stageNames = ['dev', 'prod'] as const;

/** The settings of one deployment. */
export interface Deployment {
  readonly stage: (typeof stageNames)[number];
  /** The issuer of the callers' tokens, as their `iss` says it; API Gateway fetches its keys by OIDC discovery. */
  readonly jwtIssuer: string;
  /** The audiences that a token may be meant for, one of them is enough. */
  readonly jwtAudience: readonly string[];
  /** OAuth scopes, of which a token needs one; any token of the audience is believed if unset. */
  readonly authorizationScopes?: readonly string[];
  /** The claim of the token that names the account. */
  readonly accountClaim: string;
  /** Overrides of the built-in policy; checked by the rules of a whole policy. */
  readonly defaultPolicy: PolicyOverrides;
  /** The submission limiter's burst in chunks, and its refill in chunks per second; intake's defaults if unset. */
  readonly submissionBurst?: number;
  readonly submissionRefill?: number;
  /** Keeps Lambda's concurrency for each function, so that none can starve another. */
  readonly reserveConcurrency: boolean;
  /** Roles and users that may send to queues beside the services: a redrive sends with its operator's credentials. */
  readonly operatorArns: readonly string[];
  /** The address that alarms are mailed to; without it, subscribe to the topic by hand. */
  readonly alarmEmail?: string;
  /** The address at which operators read the runbook; each alarm links its heading there. */
  readonly runbookUrl?: string;
}

/** The context lacks a key, or one is malformed; the message names it. */
export class InvalidContextError extends Error {
  override readonly name = 'InvalidContextError';
}

const Settings = type({
  '+': 'reject',
  jwtIssuer: 'string',
  jwtAudience: words,
  'authorizationScopes?': words,
  accountClaim: claimName.default('sub'),
  'defaultPolicy?': jsonObject,
  'submissionBurst?': decimal.to('1 <= number.integer <= 1000000'),
  'submissionRefill?': decimal.to('0.1 <= number <= 1000000'),
  reserveConcurrency: flag.default(true),
  'operatorArns?': principals,
  'alarmEmail?': 'string.email',
  'runbookUrl?': pageUrl,
});
const settingNames = Settings.props.map(({ key }) => String(key));
const contextKeys = ['stage', 'stages', ...settingNames];

const Stage = type.enumerated(...stageNames);
const Stages = type({ '+': 'reject', 'dev?': 'Record<string, unknown>', 'prod?': 'Record<string, unknown>' });

/**
 * Reads the deployment from CDK's context: the settings of `stages.<stage>` in cdk.json, each of which
 * `-c <setting>=<value>` overrides. A key that nobody knows is refused, in the other stage as well.
 *
 * @throws InvalidContextError naming the key
 */
export function readDeployment(context: Readonly<Record<string, unknown>>): Deployment {
  refuse('Context', unknownKeys(Object.keys(context), contextKeys));
  const stage = readStage(context.stage ?? 'dev');
  const stages = Stages(context.stages ?? {});
  if (stages instanceof type.errors) throw new InvalidContextError(`stages: ${stages.summary}`);
  for (const [name, settings] of Object.entries(stages)) {
    refuse(`stages.${name}`, unknownKeys(Object.keys(settings), settingNames));
  }
  const overrides = settingNames.map((name) => [name, context[name]]).filter(([, value]) => value !== undefined);
  const read = Settings({ ...stages[stage], ...Object.fromEntries(overrides) });
  const where = `Settings of stage ${stage}`;
  if (read instanceof type.errors) {
    throw new InvalidContextError(`${where}: ${read.summary} (cdk.json or -c <setting>=<value>)`);
  }
  const { defaultPolicy = {}, operatorArns = [], ...rest } = read;
  const fault = issuerFault(read.jwtIssuer, { loopback: stage === 'dev' });
  if (fault !== undefined) refuse(where, [`jwtIssuer must be ${fault} (was ${JSON.stringify(read.jwtIssuer)})`]);
  return { ...rest, stage, operatorArns, defaultPolicy: readPolicy(defaultPolicy) };
}

function readStage(given: unknown): Deployment['stage'] {
  const stage = Stage(given);
  if (!(stage instanceof type.errors)) return stage;
  throw new InvalidContextError(`stage ${stage.summary}`);
}

function refuse(where: string, faults: readonly string[]): void {
  if (faults.length > 0) throw new InvalidContextError(`${where}: ${faults.join('; ')}`);
}

function readPolicy(overrides: unknown): PolicyOverrides {
  try {
    const whole = resolvePolicy(builtInPolicy, overrides);
    const given = new Set(Object.keys(Object(overrides)));
    return Object.fromEntries(Object.entries(whole).filter(([name]) => given.has(name)));
  } catch (error) {
    if (error instanceof InvalidPolicyError) throw new InvalidContextError(`defaultPolicy: ${error.problem}`);
    throw error;
  }
}
