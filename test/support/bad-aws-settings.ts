import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A profile as a developer may have it, with all that would send a client elsewhere or stop it. */
const profile = `[default]
region = mars-east-1
use_fips_endpoint = true
use_dualstack_endpoint = true
endpoint_url = http://127.0.0.1:1
max_attempts = none
retry_mode = stubborn
defaults_mode = none
account_id_endpoint_mode = required
endpoint_discovery_enabled = true
disable_clock_skew_correction = maybe
auth_scheme_preference = none
credential_process = false
`;

/** An environment in which every client that looks around fails, for the time of a test. */
export async function badAwsSettings(): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'usher-aws-settings-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'config'), profile);
  return {
    HOME: folder,
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'config'),
    AWS_PROFILE: 'default',
    AWS_REGION: 'mars-east-1',
    AWS_USE_FIPS_ENDPOINT: 'true',
    AWS_USE_DUALSTACK_ENDPOINT: 'true',
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1',
    AWS_ENDPOINT_URL_EVENTBRIDGE: 'http://127.0.0.1:1',
    AWS_MAX_ATTEMPTS: 'none',
    AWS_RETRY_MODE: 'stubborn',
    AWS_DEFAULTS_MODE: 'none',
    AWS_ACCOUNT_ID_ENDPOINT_MODE: 'required',
    AWS_ENABLE_ENDPOINT_DISCOVERY: 'true',
    AWS_SDK_UA_APP_ID: 'x'.repeat(60),
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: 'http://127.0.0.1:1',
    HTTPS_PROXY: 'http://127.0.0.1:1',
  };
}
