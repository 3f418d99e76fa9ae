import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, GetItemCommand, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { BookingList, Quota } from '@usher/contracts';
import { systemClock, systemRetry, toRfc3339, virtualClock } from '@usher/limiter-core/bulk';
import { tableDefinition } from '@usher/limiter-core/bulk/dynamodb';
import { createTable, localClientConfig } from '@usher/loopback';
import { DayReport } from '@usher/report';
import type { type } from 'arktype';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { worked } from '../demo/run/drain.ts';
import { patienceUntil } from '../demo/run/patience.ts';
import { authorization } from '../demo/run/submit.ts';
import { openDatabase } from '../endpoints/database.ts';
import { startEndpoints } from '../endpoints/start-endpoints.ts';
import { startStack as runStack } from '../stack.ts';
import { type Command, CommandFolder } from './testing/command-folder.ts';

/** Works on the tables of a data folder, without a stack. */
async function onTables(dataDir: string, work: (client: DynamoDBClient) => Promise<void>): Promise<void> {
  const endpoints = await startEndpoints({ dataDir, clock: systemClock });
  const client = new DynamoDBClient(localClientConfig(endpoints.dynamoDbUrl));
  await work(client).finally(() => client.destroy());
  await endpoints.close();
}

describe('the command start', () => {
  let folder: CommandFolder;

  beforeEach(async () => {
    folder = await CommandFolder.make();
  });
  afterEach(() => folder.close());

  const startStack = (env: Record<string, string> = {}): Command => folder.run('start', [], { PORT: '0', ...env });

  async function urlOf(command: Command): Promise<string> {
    const [, url = ''] = await command.said('stdout', /^Usher is at (\S+) .*\n[\s\S]*events at +http.*\n/m);
    return url;
  }

  /** Runs the first of the curl lines printed, as a shell would; the answer with its headers. */
  async function curlBooking(command: Command): Promise<string> {
    const [line = ''] = await command.said('stdout', /curl -i (.*\\\n)*.*\n/);
    const shell = spawn('sh', ['-c', line], { stdio: ['ignore', 'pipe', 'ignore'] });
    let answer = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    const [code] = await once(shell, 'close');
    expect(code).toBe(0);
    return answer;
  }

  async function get<T extends type>(url: string, path: string, schema: T): Promise<T['infer']> {
    const answer = await fetch(`${url}${path}`, { headers: authorization('demo-agency') });
    return schema.assert(await answer.json());
  }

  async function untilAllDecided(url: string): Promise<number> {
    for (;;) {
      const { bookings } = await get(url, '/v1/bookings', BookingList);
      if (bookings.every(({ status }) => status === 'decided')) return bookings.length;
      // An account may ask a hundred times a second.
      await sleep(20);
    }
  }

  test('prints a booking to try, stops on Ctrl-C, and resumes after any kind of stop', async () => {
    const policies = await folder.file('p.json', '{"accounts":{"demo-agency":{"dailyLimit":50}}}');
    const first = startStack({ USHER_POLICIES: policies });
    const firstUrl = await urlOf(first);
    expect(first.out.stdout).toContain(`data in ${join(folder.path, '.usher')}`);
    expect(first.out.stdout).toContain(`Policies of ${policies}: 1 (demo-agency) set, none kept, none removed.`);
    const answer = await curlBooking(first);
    expect(answer).toMatch(/^HTTP\/1\.1 202 /);
    expect(answer).toMatch(/^location: \/v1\/bookings\/bk_/im);
    expect(await untilAllDecided(firstUrl)).toBe(1);
    expect(await first.kill('SIGINT')).toBe(0);
    expect(first.out.stderr).toBe('Stopping. A second Ctrl-C ends it at once; nothing is lost either way.\n');

    const second = startStack({ USHER_POLICIES: policies });
    const secondUrl = await urlOf(second);
    expect(second.out.stdout).toContain(`Policies of ${policies}: none set, 1 (demo-agency) kept, none removed.`);
    expect(await curlBooking(second)).toMatch(/^idempotency-replayed: true/im);
    const posted = await fetch(`${secondUrl}/v1/bookings`, {
      method: 'POST',
      headers: { ...authorization('demo-agency'), 'Content-Type': 'application/json', 'Idempotency-Key': 'k2' },
      body: JSON.stringify({ reservations: Array.from({ length: 250 }, (_, i) => ({ id: `r${i}`, cost: 1 })) }),
    });
    expect(posted.status).toBe(202);
    expect(await second.kill('SIGKILL')).toBe('SIGKILL');

    const third = startStack();
    const thirdUrl = await urlOf(third);
    expect(third.out.stdout).toContain('1 (demo-agency) of an earlier policy file stay in force.');
    expect(await untilAllDecided(thirdUrl)).toBe(2);
    expect(await get(thirdUrl, '/v1/quota', Quota)).toMatchObject({ limit: 50, used: 50, rejected: 206 });
    expect(await third.kill('SIGTERM')).toBe(0);
    expect(third.out.stderr).not.toContain('rror');
  });

  test('reports at once of a day that ended while it was stopped, below the folder that it prints', async () => {
    const dataDir = join(folder.path, '.usher');
    const clock = virtualClock(toRfc3339(systemClock() - 2 * 86_400_000));
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const earlier = await runStack({ dataDir, port: 0, policies: undefined, clock, log });
    const posted = await fetch(`${earlier.url}/v1/bookings`, {
      method: 'POST',
      headers: { ...authorization('demo-agency'), 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
      body: JSON.stringify({ reservations: [{ id: 'r', cost: 3 }] }),
    });
    expect(posted.status).toBe(202);
    expect(await untilAllDecided(earlier.url)).toBe(1);
    const patience = patienceUntil(new AbortController().signal);
    for (const queue of [earlier.queues.bookings, earlier.queues.report])
      await worked(earlier.clients.sqs, queue, patience);
    await earlier.close();

    const stack = startStack();
    const [, reports = ''] = await stack.said('stdout', /^Reports of days that are over are written below {2}(.*)$/m);
    expect(reports).toBe(join(dataDir, 'reports'));
    // It stops when the run that is under way is over.
    expect(await stack.kill('SIGINT')).toBe(0);
    const path = join(reports, toRfc3339(clock()).slice(0, 10), 'UTC', 'run-1', 'report.json');
    expect(DayReport.assert(JSON.parse(await readFile(path, 'utf8'))).accounts).toMatchObject([
      { accountId: 'demo-agency', used: 3, granted: 1, bookings: 1 },
    ]);
    expect(stack.out.stderr).not.toContain('rror');
  });

  test('refuses a folder that was made before reports with one sentence, and changes nothing in it', async () => {
    const dataDir = join(folder.path, '.usher');
    const { byDay: _, ...definition } = tableDefinition;
    const key = { pk: { S: 'account#demo-agency' }, sk: { S: 'quota' } };
    await onTables(dataDir, async (client) => {
      await createTable(client, { tableName: 'usher', ...definition }, systemRetry);
      await client.send(new PutItemCommand({ TableName: 'usher', Item: key }));
    });
    const command = startStack();
    expect(await command.ended).toBe(1);
    expect(command.out).toEqual({
      stdout: '',
      stderr:
        `The data folder ${dataDir} was made by an earlier version, whose table has no index byDay; ` +
        'choose another folder, that one stays as it is.\n',
    });
    await onTables(dataDir, async (client) => {
      expect(await client.send(new ListTablesCommand({}))).toMatchObject({ TableNames: ['usher'] });
      expect(await client.send(new GetItemCommand({ TableName: 'usher', Key: key }))).toMatchObject({ Item: key });
    });
    const elsewhere = startStack({ USHER_DATA: 'another' });
    await urlOf(elsewhere);
    expect(await elsewhere.kill('SIGINT')).toBe(0);
  });

  test.each([
    ['a port that is no number', { PORT: 'http' }, 2, /^start: .* 'http' from env 'PORT' is invalid\. .*\nSee .*\n$/],
    ['a missing policy file', { USHER_POLICIES: 'p.json' }, 2, /^Policy file p\.json: there is no such file; .*\n$/],
    [
      'a folder in use',
      { USHER_DATA: 'held' },
      1,
      /^The data folder .*\/held is in use by another running stack; .*\n$/,
    ],
    ['a port in use', { PORT: '{taken}' }, 1, /^Port \d+ of 127\.0\.0\.1 is in use; .*\n$/],
  ])('refuses %s with one sentence', async (_, env, exitCode, message) => {
    const held = openDatabase(join(folder.path, 'held'));
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const command = startStack(
      Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace('{taken}', port)])),
    );
    const code = await command.ended;
    held.close();
    taken.close();
    expect(command.out).toEqual({ stdout: '', stderr: expect.stringMatching(message) });
    expect(code).toBe(exitCode);
  });
});
