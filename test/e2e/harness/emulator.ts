import { request } from 'node:https';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type } from 'arktype';
import type { ChildProcesses } from './child-processes.ts';

/** Account, region and root credentials of the emulator; they exist nowhere else. */
export const aws = {
  accountId: '000000000000',
  region: 'eu-central-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
} as const;

/** A certificate that the emulator serves and everybody here trusts, and its key: paths of PEM files. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

const readyWithinMs = 60_000;

/**
 * Starts the emulator on a free loopback port: TLS, because the deployed queues refuse everything else, and with IAM
 * enforced. Lambdas run as processes under the Node that runs this.
 *
 * @returns its endpoint
 */
export async function startEmulator(
  processes: ChildProcesses,
  options: { readonly python: string; readonly tls: Certificate; readonly folder: string; readonly log: string },
): Promise<string> {
  const { python, tls, folder, log } = options;
  const port = await freePort();
  const emulator = processes.start({
    file: python,
    // As `ministack --detach` starts its server (`python -m ministack` would bind port 443 as well), with our additions.
    args: ['-m', 'hypercorn', 'usher_emulator:app', '--bind', `127.0.0.1:${port}`, '--keep-alive', '75'].concat([
      '--certfile',
      tls.certificate,
      '--keyfile',
      tls.key,
    ]),
    cwd: folder,
    env: {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: folder,
      PYTHONPATH: import.meta.dirname,
      PYTHONDONTWRITEBYTECODE: '1',
      TMPDIR: folder,
      STATE_DIR: join(folder, 'state'),
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      USE_SSL: '1',
      MINISTACK_SSL_CERT: tls.certificate,
      MINISTACK_SSL_KEY: tls.key,
      MINISTACK_REGION: aws.region,
      MINISTACK_ACCOUNT_ID: aws.accountId,
      AWS_ACCESS_KEY_ID: aws.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: aws.credentials.secretAccessKey,
      AUTH: 'true',
      LAMBDA_EXECUTOR: 'local',
      // Else it listens on port 8883 of every interface.
      IOT_MTLS_ENABLED: '0',
    },
    log,
  });
  const endpoint = `https://127.0.0.1:${port}`;
  const deadline = Date.now() + readyWithinMs;
  while (!(await isReady(endpoint))) {
    if (emulator.exitCode !== null) throw new Error(`The emulator ended with ${emulator.exitCode}`);
    if (Date.now() > deadline) throw new Error(`The emulator is not ready after ${readyWithinMs / 1000} s`);
    await sleep(100);
  }
  return endpoint;
}

/** An emulator that enforces nothing would let every missing grant pass. */
const Health = type('string.json.parse').to({ version: 'string', auth: "'enabled'" });

async function isReady(endpoint: string): Promise<boolean> {
  const answer = await new Promise<string | undefined>((resolve) => {
    request(new URL('/_ministack/health', endpoint), (message) => text(message).then(resolve, () => resolve(undefined)))
      .on('error', () => resolve(undefined))
      .end();
  });
  if (answer === undefined) return false;
  Health.assert(answer);
  return true;
}

/** A port that nobody listens on now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free port was found');
  return address.port;
}
