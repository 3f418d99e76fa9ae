import { builtInPolicy, InvalidPolicyError, type PolicyOverrides, resolvePolicy } from '@usher/limiter-core';
import { type } from 'arktype';

/** What differs from deployment to deployment. */
export interface Deployment {
  readonly stage: 'dev' | 'prod';
  /** Who issues the callers' tokens; API Gateway fetches its keys by OIDC discovery. */
  readonly jwtIssuer: string;
  /** The audiences that a token may be meant for, one of them is enough. */
  readonly jwtAudience: readonly string[];
  /** The claim of the token that names the account. */
  readonly accountClaim: string;
  /** What the deployment's policy says other than the built-in one; checked against the rules of a whole policy. */
  readonly defaultPolicy: PolicyOverrides;
  /** What the submission limiter lets an account submit, in chunks at once and per second; intake's defaults if unset. */
  readonly submissionBurst?: number;
  readonly submissionRefill?: number;
  /** Where alarms are mailed to; without it, subscribe to the topic by hand. */
  readonly alarmEmail?: string;
}

/** The context lacks a key, or one is malformed; the message names it. */
export class InvalidContextError extends Error {
  override readonly name = 'InvalidContextError';
}

// `cdk deploy -c key=value` hands over strings; cdk.json holds JSON.
const list = type('string')
  .pipe((text) => text.split(',').map((part) => part.trim()))
  .or('string[]')
  .to('(string > 0)[] >= 1');
const json = type('string.json.parse').or('object');

const number = type('string.numeric.parse').or('number');

const Settings = type({
  '+': 'reject',
  jwtIssuer: 'string.url',
  jwtAudience: list,
  accountClaim: type('string > 0').default('sub'),
  'defaultPolicy?': json,
  'submissionBurst?': number.to('1 <= number.integer <= 1000000'),
  'submissionRefill?': number.to('0.1 <= number <= 1000000'),
  'alarmEmail?': 'string.email',
});
const settingNames = [
  'jwtIssuer',
  'jwtAudience',
  'accountClaim',
  'defaultPolicy',
  'submissionBurst',
  'submissionRefill',
  'alarmEmail',
] as const;

const Stage = type("'dev' | 'prod'");
const Stages = type({ '+': 'reject', 'dev?': 'object', 'prod?': 'object' });

/**
 * Reads the deployment from CDK's context: the settings of `stages.<stage>` in cdk.json, each of which
 * `-c <setting>=<value>` overrides.
 *
 * @throws InvalidContextError naming the key
 */
export function readDeployment(contextOf: (key: string) => unknown): Deployment {
  const stage = Stage(contextOf('stage') ?? 'dev');
  if (stage instanceof type.errors) throw new InvalidContextError(`stage ${stage.summary}`);
  const stages = Stages(contextOf('stages') ?? {});
  if (stages instanceof type.errors) throw new InvalidContextError(`stages: ${stages.summary}`);
  const overrides = settingNames.map((name) => [name, contextOf(name)]).filter(([, value]) => value !== undefined);
  const read = Settings({ ...stages[stage], ...Object.fromEntries(overrides) });
  if (read instanceof type.errors) {
    throw new InvalidContextError(`Settings of stage ${stage}: ${read.summary} (cdk.json or -c <setting>=<value>)`);
  }
  const { defaultPolicy = {}, jwtIssuer, ...rest } = read;
  checkIssuer(jwtIssuer, stage);
  return { ...rest, stage, jwtIssuer, defaultPolicy: readPolicy(defaultPolicy) };
}

/** Keys fetched over plain HTTP can be anybody's; only an issuer on the developer's own machine may do that. */
function checkIssuer(jwtIssuer: string, stage: Deployment['stage']): void {
  const { protocol, hostname } = new URL(jwtIssuer);
  const isLocal = stage === 'dev' && ['127.0.0.1', 'localhost'].includes(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return;
  throw new InvalidContextError(`Settings of stage ${stage}: jwtIssuer must be an https URL (was ${jwtIssuer})`);
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
