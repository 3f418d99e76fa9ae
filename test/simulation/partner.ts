import { retention } from '@usher/limiter-core/bulk';
import { intake } from '../../infra/lib/numbers.ts';
import { type BookingSeen, rowsOfPage } from './history.ts';
import type { Process } from './process.ts';
import type { BookingPlan, Row } from './scenario.ts';
import { resumableMs } from './times.ts';
import { type Accepted, read } from './wire.ts';
import type { Intake, World } from './world.ts';

const lambdaTimeoutMs = intake.timeoutSeconds * 1000;
/** API Gateway's longest wait for an integration. */
const gatewayTimeoutMs = 30_000;

interface Answer {
  readonly status: number;
  readonly retryAfterMs: number;
  readonly body: unknown;
}

/** The intake processes, each replaced when it has died. */
export class IntakeFleet {
  readonly #world: World;
  readonly #slots: ({ process: Process; app: Intake } | undefined)[];

  constructor(world: World) {
    this.#world = world;
    this.#slots = Array.from({ length: world.scenario.intakes }, () => undefined);
  }

  /** One request to one of the processes; undefined where no answer came. */
  async request(accountId: string, path: string, init: RequestInit = {}): Promise<Answer | undefined> {
    const { prng, scheduler, faults, scenario } = this.#world;
    const { process, app } = this.#pick(prng.int(0, this.#slots.length - 1));
    let isRunning = true;
    if (scenario.killsAtDeadline) {
      scheduler.after(lambdaTimeoutMs, () => {
        if (isRunning && faults.enabled) process.kill();
      });
    }
    const headers = { ...init.headers, 'x-account': accountId };
    const response = await Promise.race([
      Promise.resolve(app.request(path, { ...init, headers })),
      process.dead.then(() => undefined),
      scheduler.sleep(gatewayTimeoutMs).then(() => undefined),
    ]);
    isRunning = false;
    if (response === undefined) return undefined;
    const body: unknown = await response.json();
    const retryAfterMs = Number(response.headers.get('retry-after') ?? '1') * 1000;
    return { status: response.status, retryAfterMs, body };
  }

  #pick(slot: number): { process: Process; app: Intake } {
    const known = this.#slots[slot];
    if (known?.process.alive) return known;
    const process = this.#world.startProcess('intake');
    const made = { process, app: this.#world.createIntake(process) };
    this.#slots[slot] = made;
    return made;
  }
}

/** Acts one booking out: submits until answered 202 or out of patience, then perhaps submits it again. */
export async function actPartner(world: World, fleet: IntakeFleet, plan: BookingPlan): Promise<void> {
  const { scheduler, history, coverage } = world;
  await scheduler.sleep(plan.submitAtMs - scheduler.nowMs);
  if (plan.isReuse) coverage.incident('key used again after 90 days');
  const seen: BookingSeen = { plan, firstSentAtMs: scheduler.nowMs, pages: [] };
  history.bookings.push(seen);
  await submitUntilAccepted(world, fleet, seen, plan.patience);
  if (seen.accepted === undefined && plan.returnsAfterMs !== undefined) {
    await scheduler.sleep(plan.returnsAfterMs);
    coverage.incident('back with an unanswered booking');
    await submitUntilAccepted(world, fleet, seen, 1000);
  }
  if (seen.accepted === undefined) return;
  for (let i = 0; i < plan.questions; i++) {
    await scheduler.sleep(1000);
    await askStatus(world, fleet, seen);
  }
  for (const { afterMs, isSame } of plan.repeats) {
    await scheduler.sleep(afterMs);
    coverage.incident(isSame ? 'repeat with the same key' : 'repeat with another payload');
    if (isSame) await submitUntilAccepted(world, fleet, seen, plan.patience);
    else await submitOther(world, fleet, seen);
  }
}

/** Asks for the status. A row's decision is final, so pages are kept and compared once the run has come to rest. */
async function askStatus(world: World, fleet: IntakeFleet, { plan, accepted, pages }: BookingSeen): Promise<void> {
  const answer = await fleet.request(plan.accountId, `/v1/bookings/${accepted?.answer.bookingId}`);
  if (answer?.status === 200) pages.push(rowsOfPage(read.statusPage(answer.body)));
  else if (answer !== undefined && ![500, 503].includes(answer.status)) {
    world.violate(0, `the status of ${plan.key} of ${plan.accountId} was answered ${answer.status}`);
  }
}

async function submitUntilAccepted(
  world: World,
  fleet: IntakeFleet,
  seen: BookingSeen,
  patience: number,
): Promise<void> {
  const { scheduler, prng } = world;
  const { plan } = seen;
  for (let attempt = 0; attempt <= patience; attempt++) {
    const answer = await submit(fleet, plan, plan.rows);
    world.note(`${plan.accountId} ${plan.key} answered ${answer?.status ?? 'nothing'}`);
    if (answer?.status === 202) {
      noteAccepted(world, seen, read.accepted(answer.body));
      return;
    }
    if (answer !== undefined && isTooOld(answer) && scheduler.nowMs - seen.firstSentAtMs > resumableMs) return;
    if (answer !== undefined && ![409, 429, 500, 503].includes(answer.status)) {
      world.violate(
        0,
        `${plan.key} of ${plan.accountId} was answered ${answer.status}: ${JSON.stringify(answer.body)}`,
      );
      return;
    }
    const patient = Math.min(60, 1.2 ** attempt);
    await scheduler.sleep((answer?.retryAfterMs ?? 1000) * (1 + prng.random()) * patient);
  }
}

function isTooOld({ status, body }: Answer): boolean {
  return status === 422 && read.problemName(body) === 'booking-too-old';
}

/** The key with other rows must be refused, and changes nothing. */
async function submitOther(world: World, fleet: IntakeFleet, { plan }: BookingSeen): Promise<void> {
  const other = [...plan.rows, { id: 'one more', cost: 1 }].slice(plan.rows.length > 99 ? 1 : 0);
  const answer = await submit(fleet, plan, other);
  if (answer === undefined || [422, 503, 500].includes(answer.status)) return;
  world.violate(0, `${plan.key} of ${plan.accountId} with another payload was answered ${answer.status}, not 422`);
}

function submit(fleet: IntakeFleet, plan: BookingPlan, reservations: readonly Row[]): Promise<Answer | undefined> {
  return fleet.request(plan.accountId, '/v1/bookings', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': plan.key },
    body: JSON.stringify({ ...(plan.mode === undefined ? {} : { mode: plan.mode }), reservations }),
  });
}

function noteAccepted(world: World, seen: BookingSeen, answer: Accepted): void {
  const { scheduler } = world;
  if (seen.accepted === undefined) {
    seen.accepted = { answer, atMs: scheduler.nowMs };
    return;
  }
  const first = seen.accepted.answer;
  const isHonoured = scheduler.nowMs - Date.parse(first.acceptedAt) < retention.outcomeMs;
  if (isHonoured && JSON.stringify(first) !== JSON.stringify(answer)) {
    const [was, is] = [JSON.stringify(first), JSON.stringify(answer)];
    world.violate(2, `${seen.plan.key} of ${seen.plan.accountId} sent again was another booking: ${was} then ${is}`);
  }
}
