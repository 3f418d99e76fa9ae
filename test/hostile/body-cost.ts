import { bodyMaxBytes } from '@usher/contracts';
import { costOf } from './cost-of.ts';
import { hostileBodies, validBodies } from './worst-bodies.ts';

/**
 * `pnpm --filter @usher/test body-cost`: what the worst 4 MiB cost, against bookings of 4 MiB. CPU time of whole requests in this process, the
 * least of three; a measurement to look at, since no test may depend on how fast a machine is.
 */
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
