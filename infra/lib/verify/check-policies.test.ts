import { InvalidPolicyError } from '@usher/limiter-core/bulk';
import { expect, test } from 'vitest';
import type { DeployedResources } from './aws-deployment.ts';
import { checkPolicies, maxPages, type StoredPolicy } from './check-policies.ts';
import { DeploymentError } from './errors.ts';

const outputs = { TableName: 'table-1', WorkerFunctionName: 'worker-1' };
const unused = async (): Promise<never> => Promise.reject(new Error('not asked for'));

/** A deployment with this default, whose table has these policies, by page. */
function deployment(defaultPolicy: object, pages: Iterable<Record<string, StoredPolicy>>): DeployedResources {
  return {
    outputsOf: unused,
    describeTable: unused,
    describeBucket: unused,
    describeBus: unused,
    describeQueue: unused,
    environmentOf: async () => ({
      USHER_TABLE: 'table-1',
      USHER_BUS: 'bus-1',
      USHER_DISPATCH_QUEUE_URL: 'https://sqs.example.com/dispatch',
      USHER_PACING_QUEUE_URL: 'https://sqs.example.com/pacing',
      USHER_QUARANTINE_QUEUE_URL: 'https://sqs.example.com/quarantine',
      USHER_DEFAULT_POLICY: JSON.stringify(defaultPolicy),
    }),
    policiesOf: async function* () {
      for (const page of pages) yield new Map(Object.entries(page));
    },
  };
}

/** Right over a default of 10 a second, which can hand on 864,020 in a day; too much for one of 1 a second. */
const large = { overrides: { dailyLimit: 500_000 } };

test('policies that can be read over the default are counted, page by page', async () => {
  const pages = [{ acme: large, bob: { overrides: { mode: 'observe' } } }, {}, { carol: { overrides: undefined } }];
  const checked = await checkPolicies(deployment({ refillPerSecond: 10 }, pages), outputs);
  expect(checked).toEqual({ accounts: 3, isComplete: true });
});

test('overrides that a new default makes invalid are named by account and field', async () => {
  const check = checkPolicies(
    deployment({ refillPerSecond: 1 }, [{ acme: large }, { bob: { overrides: {} } }]),
    outputs,
  );
  await expect(check).rejects.toThrow(DeploymentError);
  await expect(check).rejects.toThrow(/accounts\.acme: dailyLimit must be at most/);
  await expect(check).rejects.not.toThrow(/bob/);
});

test('an item that cannot be read at all is named too', async () => {
  const broken = new InvalidPolicyError('policy must be an object in policy#acme');
  const check = checkPolicies(deployment({}, [{ acme: broken }]), outputs);
  await expect(check).rejects.toThrow('policy must be an object in policy#acme');
});

test('of many the first are named, and how many more there are', async () => {
  const page = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`a-${i}`, { overrides: { burst: -1 } }]));
  await expect(checkPolicies(deployment({}, [page]), outputs)).rejects.toThrow(/a-19: burst .*; and 5 more\./s);
});

test('an error of the table is no verdict on a policy', async () => {
  const check = checkPolicies(deployment({}, [{ acme: new Error('throttled') }]), outputs);
  await expect(check).rejects.toThrow('throttled');
  await expect(check).rejects.not.toThrow(DeploymentError);
});

test('a table with more pages than are read is told to be', async () => {
  const pages = Array.from({ length: maxPages + 1 }, (_, i) => ({ [`a-${i}`]: { overrides: {} } }));
  expect(await checkPolicies(deployment({}, pages), outputs)).toEqual({ accounts: maxPages, isComplete: false });
});
