import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type } from 'arktype';

/** One call of an AWS client, as it came over the wire. */
export interface WireCall {
  readonly operation: string;
  readonly input: unknown;
}

export interface AwsEndpoint {
  readonly url: string;
  readonly calls: readonly WireCall[];
  readonly close: () => void;
}

const SendMessageBatch = type({ Entries: type({ Id: 'string', MessageBody: 'string' }).array() });
const PutEvents = type({ Entries: type({ Detail: 'string' }).array() });

/** A loopback endpoint that takes whatever is sent or published, and answers as SQS and EventBridge do (AWS JSON). */
export async function startAwsEndpoint(): Promise<AwsEndpoint> {
  const calls: WireCall[] = [];
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']);
    const input: unknown = JSON.parse(await text(request));
    calls.push({ operation, input });
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify(answerTo(operation, input)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, calls, close };
}

function answerTo(operation: string, input: unknown): object {
  if (operation === 'AWSEvents.PutEvents') {
    const { Entries } = PutEvents.assert(input);
    return { FailedEntryCount: 0, Entries: Entries.map((_, i) => ({ EventId: `event-${i}` })) };
  }
  const { Entries } = SendMessageBatch.assert(input);
  const md5 = (body: string): string => createHash('md5').update(body).digest('hex');
  return {
    Failed: [],
    Successful: Entries.map(({ Id, MessageBody }) => ({ Id, MessageId: Id, MD5OfMessageBody: md5(MessageBody) })),
  };
}
