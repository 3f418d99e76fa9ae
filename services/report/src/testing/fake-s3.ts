import { once } from 'node:events';
import { createServer } from 'node:http';

/** Objects over HTTP as S3 keeps them, as far as a put and a get go; on loopback. */
export interface FakeS3 {
  readonly url: string;
  /** Objects by `/<bucket>/<key>`. */
  readonly objects: Map<string, { readonly body: Buffer; readonly mediaType: string | undefined }>;
  close(): void;
}

export async function startFakeS3(): Promise<FakeS3> {
  const objects: FakeS3['objects'] = new Map();
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://s3').pathname);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method === 'PUT') {
      objects.set(path, { body: Buffer.concat(chunks), mediaType: request.headers['content-type'] });
      response.writeHead(200).end();
      return;
    }
    const found = objects.get(path);
    if (found !== undefined) return void response.writeHead(200).end(found.body);
    const error = '<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>none</Message></Error>';
    response.writeHead(404, { 'content-type': 'application/xml' }).end(error);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the fake S3 has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    objects,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
