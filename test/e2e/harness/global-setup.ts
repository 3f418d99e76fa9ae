import { rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { TestProject } from 'vitest/node';
import { noonTimezone } from '../noon-timezone.ts';
import { ChildProcesses } from './child-processes.ts';
import { deploy, synthesize } from './deploy.ts';
import { type Certificate, startEmulator } from './emulator.ts';
import { type Issuer, startIssuer } from './issuer.ts';
import { createOperator, operatorArn } from './operator.ts';
import { hasPython, preparePython } from './python.ts';
import { audience, type Run } from './run.ts';

/** Deploys the dev stage to an emulator of this run's own, and takes everything down again however the run ends. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!hasPython()) throw new Error('The end-to-end tests need python3 with the modules venv and ensurepip.');
  const folder = await mkdtemp(join(tmpdir(), 'usher-e2e-'));
  const processes = new ChildProcesses();
  const atOnce = (): void => {
    processes.killAll();
    rmSync(folder, { recursive: true, force: true });
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    atOnce();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.once('exit', atOnce).once('SIGINT', onSignal).once('SIGTERM', onSignal);

  const log = join(folder, 'run.log');
  let issuer: Issuer | undefined;
  const takeDown = async (failed: boolean): Promise<void> => {
    await issuer?.stop();
    await processes.stopAll();
    if (failed) process.stderr.write(`\n--- The end of the log of emulator and CDK ---\n${await endOf(log)}\n`);
    await rm(folder, { recursive: true, force: true });
    process.off('exit', atOnce).off('SIGINT', onSignal).off('SIGTERM', onSignal);
  };
  try {
    issuer = await startIssuer();
    project.provide('run', await bringUp(processes, { folder, log, issuer }));
  } catch (error) {
    await takeDown(true);
    throw error;
  }
  return () => takeDown(project.vitest.state.getCountOfFailedTests() > 0);
}

async function bringUp(
  processes: ChildProcesses,
  { folder, log, issuer }: { folder: string; log: string; issuer: Issuer },
): Promise<Run> {
  const context = {
    stage: 'dev',
    jwtIssuer: issuer.url,
    jwtAudience: audience,
    operatorArns: operatorArn,
    // No run may pass midnight, where a booking's window changes.
    defaultPolicy: JSON.stringify({ timezone: noonTimezone(new Date()) }),
  };
  const [python] = await Promise.all([preparePython(processes, log), synthesize(processes, { folder, log }, context)]);
  await processes.run({
    file: python,
    args: [join(import.meta.dirname, 'certificate.py'), folder],
    env: process.env,
    log,
  });
  const tls: Certificate = { certificate: join(folder, 'certificate.pem'), key: join(folder, 'key.pem') };
  setDefaultCACertificates([...getCACertificates('default'), await readFile(tls.certificate, 'utf8')]);
  const endpoint = await startEmulator(processes, { python, tls, folder, log });
  const outputs = await deploy(processes, { folder, log }, { endpoint, certificate: tls.certificate });
  const operator = await createOperator(endpoint);
  return { endpoint, certificate: tls.certificate, outputs, operator, issuer: { url: issuer.url, key: issuer.key } };
}

async function endOf(log: string): Promise<string> {
  const lines = (await readFile(log, 'utf8')).split('\n');
  return lines.slice(-150).join('\n');
}
