import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createClient } from 'redis';

/** A server of Upstash's REST protocol on loopback, in front of a real Redis. */
export interface UpstashBridge {
  readonly url: string;
  readonly token: string;
  close(): Promise<void>;
}

const token = 'token-of-the-bridge';

/** Starts it: as much of the protocol as one command, or a pipeline of them, needs. */
export async function startUpstashBridge(redisUrl: string): Promise<UpstashBridge> {
  const client = createClient({ url: redisUrl });
  await client.connect();
  const run = async (command: unknown, base64: boolean): Promise<Record<string, unknown>> => {
    if (!Array.isArray(command)) return { error: 'ERR failed to parse command' };
    try {
      const result: unknown = await client.sendCommand(command.map(String));
      return { result: base64 ? inBase64(result) : result };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const body: unknown = JSON.parse(await text(request));
    const base64 = request.headers['upstash-encoding'] === 'base64';
    if (request.headers.authorization !== `Bearer ${token}`) {
      return answer(401, { error: 'WRONGPASS invalid or missing auth token' });
    }
    if (request.url === '/pipeline' && Array.isArray(body)) {
      return answer(200, await Promise.all(body.map((command) => run(command, base64))));
    }
    const told = await run(body, base64);
    answer('error' in told ? 400 : 200, told);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The bridge has no port.');
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    await client.close();
  };
  return { url: `http://127.0.0.1:${address.port}`, token, close };
}

function inBase64(result: unknown): unknown {
  if (typeof result === 'string') return result === 'OK' ? result : Buffer.from(result).toString('base64');
  return Array.isArray(result) ? result.map(inBase64) : result;
}
