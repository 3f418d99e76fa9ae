import { Redis } from 'ioredis';
import { emptyTally, type Tally } from './meter.ts';

/** A connection to Redis whose commands are counted. */
export interface CountedRedis {
  readonly client: Redis;
  /** Takes the tally since the last time: calls alone, as Redis has no units. */
  readonly takeTally: () => Tally;
  readonly close: () => void;
}

/** Connects with the settings that all contenders share. Each has a connection of its own, so that each is counted. */
export async function newRedisClient(url: string): Promise<CountedRedis> {
  const client = new Redis(url, { lazyConnect: true });
  await client.connect();
  let calls = 0;
  const send = client.sendCommand.bind(client);
  client.sendCommand = (...args) => {
    calls += 1;
    return send(...args);
  };
  const takeTally = (): Tally => {
    const taken = { ...emptyTally, calls };
    calls = 0;
    return taken;
  };
  return { client, takeTally, close: () => client.disconnect() };
}
