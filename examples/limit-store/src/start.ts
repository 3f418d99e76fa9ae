import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Decision, virtualClock } from '@usher/limiter-core';
import { localClientConfig } from '@usher/loopback';
import { startDynalite } from '@usher/loopback/testing';
import { createLimits } from './limits.ts';

const dynalite = await startDynalite({ tableName: 'limits', partitionKey: 'pk' });
const client = new DynamoDBClient(localClientConfig(dynalite.endpoint));
let calls: string[] = [];
client.middlewareStack.add(
  (next, { commandName = '' }) =>
    (args) => {
      calls.push(commandName);
      return next(args);
    },
  {},
);
const clock = virtualClock('2026-11-29T12:00:00Z');
const limits = createLimits({ client, tableName: 'limits', clock });

/** Prints how many of these checks were allowed, and the writes and reads that they took. */
async function tell(what: string, checks: () => Promise<Decision[]>): Promise<void> {
  calls = [];
  const decisions = await checks();
  const allowed = decisions.filter((decision) => decision.allowed).length;
  const writes = calls.filter((command) => command === 'UpdateItemCommand').length;
  console.log(`${what}: ${allowed} of ${decisions.length} allowed, ${writes} writes, ${calls.length - writes} reads`);
}
async function times(count: number, check: () => Promise<Decision>): Promise<Decision[]> {
  const decisions: Decision[] = [];
  for (let i = 0; i < count; i++) decisions.push(await check());
  return decisions;
}
const atOnce = (count: number, check: () => Promise<Decision>) => Promise.all(Array.from({ length: count }, check));

await tell('one after the other', () => times(5, () => limits.logins.check('ada')));
await tell('refused, and remembered', () => times(5, () => limits.logins.check('ada')));
await tell('two limits in one write', () => times(5, () => limits.api.check('ada', { for: 'free' })));
await tell('at once, on one key', () => atOnce(100, () => limits.api.check('bob', { for: 'pro' })));
await tell('leased', () => times(200, () => limits.views.check('page')));
await tell('spaced evenly', () => times(5, () => limits.mails.check('ada')));
await tell('used up', () => times(3, () => limits.exports.check('ada')));
clock.advance(3_600_000);
await tell('an hour later, nothing deleted', () => times(3, () => limits.exports.check('ada')));
client.destroy();
await dynalite.close();
