import { cpuUsage } from 'node:process';
import { bodyMaxBytes } from '@usher/contracts';
import { hostileIntake } from '../support/hostile-intake.ts';
import { hostileBodies, validBodies } from './worst-bodies.ts';

/**
 * `pnpm --filter @usher/test body-cost`: what the worst 4 MiB cost, against bookings of 4 MiB. CPU time of whole requests in this process, the
 * least of three; a measurement to look at, since no test may depend on how fast a machine is.
 */
const headers = { Authorization: 'Bearer dev:ada', 'Content-Type': 'application/json', 'Idempotency-Key': 'key' };
const { probe } = hostileIntake({ namesCarryIt: true });

async function costOf(body: string): Promise<{ status: number; cpuMs: number }> {
  let cheapest = { status: 0, cpuMs: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 3; round++) {
    const request = new Request('http://127.0.0.1/v1/bookings', { method: 'POST', headers, body });
    const before = cpuUsage();
    const { status } = await probe(request);
    const { user, system } = cpuUsage(before);
    const cpuMs = (user + system) / 1000;
    if (cpuMs < cheapest.cpuMs) cheapest = { status, cpuMs };
  }
  return cheapest;
}

async function table(bodies: Readonly<Record<string, () => string>>): Promise<number> {
  let worst = 0;
  for (const [name, make] of Object.entries(bodies)) {
    const body = make();
    const { status, cpuMs } = await costOf(body);
    worst = Math.max(worst, cpuMs);
    const size = (Buffer.byteLength(body) / 1_048_576).toFixed(1);
    console.log(`${status}  ${cpuMs.toFixed(0).padStart(6)} ms  ${size} MiB  ${name}`);
  }
  return worst;
}

const valid = await table(validBodies(bodyMaxBytes));
const hostile = await table(hostileBodies(bodyMaxBytes));
console.log(`the worst that is no booking costs ${(hostile / valid).toFixed(1)} times the dearest booking`);
