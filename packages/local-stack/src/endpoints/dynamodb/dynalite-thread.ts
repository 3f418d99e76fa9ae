import { EventEmitter, once } from 'node:events';
import { Server } from 'node:http';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { loopbackAddress } from '../loopback.ts';
import type { DynaliteReply, FromThread, ToThread } from './dynalite-messages.ts';

/**
 * The thread that dynalite runs in. dynalite throws out of callbacks where its disk is full or a request is not what it
 * expects; then this thread ends, and the process that serves everything else does not.
 */
const port = parentPort;
if (port === null) throw new Error('This file is the main file of a worker thread.');

interface Store {
  readonly server: Server;
  readonly handle: (request: EventEmitter, response: object) => void;
}
const stores = new Map<number, Store>();

port.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'open':
      stores.set(message.store, openStore(message.path));
      return;
    case 'call':
      answer(message);
      return;
    case 'close':
      closeStore(message);
      return;
  }
});

function tell(message: FromThread): void {
  port?.postMessage(message);
}

/**
 * dynalite's server with its request handler taken off. dynalite comes without types; what is used of it is checked
 * here instead. The server itself is kept, since closing it is what closes LevelDB.
 */
function openStore(path: string | undefined): Store {
  const require = createRequire(import.meta.url);
  const dynalite: unknown = require('dynalite');
  if (typeof dynalite !== 'function') throw new Error('The dynalite package does not export a function.');
  const server: unknown = Reflect.apply(dynalite, undefined, [
    { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0, path },
  ]);
  if (!(server instanceof Server)) throw new Error('dynalite did not make an HTTP server.');
  const [handler] = server.listeners('request');
  if (handler === undefined) throw new Error("dynalite's server has no request handler.");
  server.removeAllListeners('request');
  return {
    server,
    handle: (request, response) => {
      Reflect.apply(handler, server, [request, response]);
    },
  };
}

function answer({ store, call, headers, body }: ToThread & { kind: 'call' }): void {
  // dynalite reads method, url, headers and the events of the body.
  const request = Object.assign(new EventEmitter(), { method: 'POST', url: '/', headers });
  const done = (reply: DynaliteReply): void => tell({ call, reply });
  try {
    stores.get(store)?.handle(request, responseTo(done));
    request.emit('data', Buffer.from(body));
    request.emit('end');
  } catch (error) {
    // Before it touches a table dynalite checks the request, and trips over some that DynamoDB refuses. Any other error
    // tells of the tables, which cannot be opened or written: that ends the thread.
    if (!isTrip(error)) throw error;
    const problem = { __type: 'SerializationException', message: 'The request is not one that DynamoDB knows.' };
    done({ status: 400, headers: {}, body: JSON.stringify(problem) });
  }
}

/** True for what JavaScript itself throws where a value is not what the code expects. */
function isTrip(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}

/** The part of a ServerResponse that dynalite writes to. */
function responseTo(done: (reply: DynaliteReply) => void): object {
  const headers: Record<string, string | number> = {};
  const response = {
    statusCode: 200,
    setHeader: (name: string, value: string | number): void => {
      headers[name] = value;
    },
    end: (body = ''): void => done({ status: response.statusCode, headers, body }),
  };
  return response;
}

async function closeStore({ store, call }: ToThread & { kind: 'close' }): Promise<void> {
  const server = stores.get(store)?.server;
  stores.delete(store);
  if (server !== undefined) {
    // dynalite closes LevelDB only after its server has closed, and a server that never listened does not close.
    server.listen(0, loopbackAddress);
    await once(server, 'listening');
    await new Promise((resolve) => server.close(resolve));
  }
  tell({ call, reply: undefined });
}
