import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { promisify } from 'node:util';
import { type } from 'arktype';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** A child's account of the files and variables that its clients looked up. */
const readSeen = type('string.json.parse').to({ filesRead: 'string[]', variablesRead: 'string[]', requests: 'number' });

/** Settings that would change or break every client that looked at them. */
const poisoned = {
  AWS_REGION: 'mars-east-1',
  AWS_DEFAULT_REGION: 'mars-east-1',
  AWS_PROFILE: 'nobody',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
  AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
  AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1',
  AWS_ENDPOINT_URL_EVENTBRIDGE: 'http://127.0.0.1:1',
  AWS_USE_FIPS_ENDPOINT: 'true',
  AWS_USE_DUALSTACK_ENDPOINT: 'true',
  AWS_MAX_ATTEMPTS: 'many',
  AWS_RETRY_MODE: 'stubborn',
  AWS_DEFAULTS_MODE: 'none',
  AWS_ACCOUNT_ID_ENDPOINT_MODE: 'never',
  AWS_ENABLE_ENDPOINT_DISCOVERY: 'maybe',
  AWS_ENDPOINT_DISCOVERY_ENABLED: 'maybe',
  AWS_DISABLE_CLOCK_SKEW_CORRECTION: 'maybe',
  AWS_AUTH_SCHEME_PREFERENCE: 'none',
  AWS_SIGV4A_SIGNING_REGION_SET: 'mars',
  AWS_SDK_UA_APP_ID: 'x'.repeat(60),
  AWS_ACCESS_KEY_ID: 'poison',
  AWS_SECRET_ACCESS_KEY: 'poison',
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'maybe',
  AWS_CONFIG_FILE: import.meta.dirname,
  AWS_SHARED_CREDENTIALS_FILE: import.meta.dirname,
  NODE_USE_ENV_PROXY: '1',
  HTTP_PROXY: 'http://127.0.0.1:1',
  HTTPS_PROXY: 'http://127.0.0.1:1',
};

/**
 * Variables that the SDK always asks for: where it runs, and two switches that mean nothing to a client that is told
 * everything.
 */
const harmless = new Set([
  'AWS_ENABLE_DEFAULT_SOCKET_TIMEOUT_2026',
  'AWS_EXECUTION_ENV',
  'AWS_LAMBDA_BENCHMARK_MODE',
  'AWS_LAMBDA_FUNCTION_NAME',
  'AWS_LAMBDA_MAX_CONCURRENCY',
  'AWS_LAMBDA_NODEJS_NO_GLOBAL_AWSLAMBDA',
  'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED',
]);

async function look(config: 'local' | 'little', env: NodeJS.ProcessEnv) {
  const { stdout } = await run(process.execPath, [`${import.meta.dirname}/testing/watched-clients.ts`, config], {
    env,
  });
  return readSeen.assert(stdout);
}

test('a loopback client reads no file, asks for no AWS setting of the environment, and works under bad ones', async () => {
  const { filesRead, variablesRead, requests } = await look('local', poisoned);
  expect(filesRead).toEqual([]);
  expect(variablesRead.filter((name) => !harmless.has(name))).toEqual([]);
  expect(requests).toBe(3);
});

test('a client that is told less does look around: the test above can fail', async () => {
  const { filesRead, variablesRead } = await look('little', { AWS_CONFIG_FILE: devNull });
  expect(filesRead.length).toBeGreaterThan(0);
  expect(variablesRead).toContain('AWS_USE_FIPS_ENDPOINT');
});
