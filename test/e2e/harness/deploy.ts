import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type } from 'arktype';
import { StackOutputs } from '../../../infra/lib/verify/outputs.ts';
import type { ChildProcesses } from './child-processes.ts';
import { aws } from './emulator.ts';

const infra = join(import.meta.dirname, '../../../infra');
const cdk = join(infra, 'node_modules/.bin/cdk');
const stack = 'usher-dev';

export interface CdkOptions {
  /** The folder of this run; CDK's output goes below it. */
  readonly folder: string;
  readonly log: string;
}

/** Synthesizes the app as a user does, with settings for this run by context. */
export async function synthesize(
  processes: ChildProcesses,
  { folder, log }: CdkOptions,
  context: Readonly<Record<string, string>>,
): Promise<void> {
  const settings = Object.entries(context).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const args = ['synth', stack, '--quiet', '--no-notices', '--no-lookups', '-o', assembly(folder), ...settings];
  await processes.run({ file: cdk, args, cwd: infra, env: cdkEnvironment(folder), log });
}

/** Bootstraps the emulator's account and deploys what was synthesized. */
export async function deploy(
  processes: ChildProcesses,
  { folder, log }: CdkOptions,
  emulator: { readonly endpoint: string; readonly certificate: string },
): Promise<StackOutputs> {
  const env = {
    ...cdkEnvironment(folder),
    AWS_ENDPOINT_URL: emulator.endpoint,
    AWS_ENDPOINT_URL_S3: emulator.endpoint,
    AWS_CA_BUNDLE: emulator.certificate,
    AWS_REGION: aws.region,
    AWS_ACCESS_KEY_ID: aws.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: aws.credentials.secretAccessKey,
  };
  const run = (...args: string[]) =>
    processes.run({ file: cdk, args: [...args, '--no-notices'], cwd: infra, env, log });
  await run('bootstrap', `aws://${aws.accountId}/${aws.region}`, '--app', '', '-o', join(folder, 'bootstrap'));
  const outputs = join(folder, 'outputs.json');
  const quietly = ['--require-approval', 'never', '--progress', 'events', '--outputs-file', outputs];
  await run('deploy', stack, '--app', assembly(folder), ...quietly);
  const written = type('string.json.parse')
    .to({ [stack]: StackOutputs })
    .assert(await readFile(outputs, 'utf8'));
  return written[stack];
}

const assembly = (folder: string): string => join(folder, 'cdk.out');

/** The environment without the machine's own AWS profiles and credentials: nothing here may reach a real account. */
function cdkEnvironment(folder: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_') && !name.startsWith('CDK_'));
  return {
    ...Object.fromEntries(own),
    HOME: folder,
    CDK_DISABLE_CLI_TELEMETRY: '1',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}
