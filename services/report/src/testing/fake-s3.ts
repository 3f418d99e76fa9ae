import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';

/** An object as S3 keeps it. */
export interface FakeObject {
  readonly body: Buffer;
  readonly mediaType: string | undefined;
}

/** Objects over HTTP as S3 keeps them, as far as a put, a put in parts and a get go; on loopback. */
export interface FakeS3 {
  readonly url: string;
  /** Objects by `/<bucket>/<key>`. */
  readonly objects: Map<string, FakeObject>;
  /** Objects in parts that were begun. */
  readonly uploads: Map<string, FakeUpload>;
  close(): void;
}

export interface FakeUpload {
  readonly mediaType: string | undefined;
  readonly parts: Map<string, { readonly body: Buffer; readonly checksum: string }>;
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** S3 API reference, "UploadPart": every part but the last has at least 5 MiB. */
const leastPartBytes = 5 * 1024 * 1024;

export async function startFakeS3(): Promise<FakeS3> {
  const kept = { objects: new Map<string, FakeObject>(), uploads: new Map<string, FakeUpload>() };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { status, headers, body } = answerTo(kept, request, Buffer.concat(chunks));
    response.writeHead(status, headers).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the fake S3 has no port');
  return {
    ...kept,
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answerTo(
  { objects, uploads }: Pick<FakeS3, 'objects' | 'uploads'>,
  request: IncomingMessage,
  body: Buffer,
): Answer {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
  const path = decodeURIComponent(pathname);
  const mediaType = request.headers['content-type'];
  if (searchParams.has('uploads')) {
    const id = `upload-${uploads.size + 1}`;
    uploads.set(id, { mediaType, parts: new Map() });
    return xml(200, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  }
  const upload = uploads.get(searchParams.get('uploadId') ?? '');
  if (upload !== undefined && request.method === 'PUT') {
    const number = searchParams.get('partNumber') ?? '';
    const checksum = String(request.headers['x-amz-checksum-crc32']);
    upload.parts.set(number, { body, checksum });
    return { status: 200, headers: { etag: `"${number}"`, 'x-amz-checksum-crc32': checksum } };
  }
  if (upload !== undefined) {
    const whole = wholeOf(upload, body.toString());
    if (whole === undefined) return failure(400, 'InvalidPart');
    objects.set(path, { body: whole, mediaType: upload.mediaType });
    return xml(200, '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
  }
  if (request.method === 'PUT') {
    objects.set(path, { body, mediaType });
    return { status: 200 };
  }
  const found = objects.get(path);
  return found === undefined ? failure(404, 'NoSuchKey') : { status: 200, body: found.body };
}

/** The parts that the end of an upload names, put together; undefined where one is small or not as it was sent. */
function wholeOf({ parts }: FakeUpload, named: string): Buffer | undefined {
  const bodies: Buffer[] = [];
  for (const [part] of named.matchAll(/<Part>.*?<\/Part>/g)) {
    const sent = parts.get(part.match(/<PartNumber>(\d+)</)?.[1] ?? '');
    const before = bodies.at(-1);
    if (sent === undefined || (before !== undefined && before.length < leastPartBytes)) return undefined;
    if (part.match(/<ChecksumCRC32>([^<]+)</)?.[1] !== sent.checksum) return undefined;
    bodies.push(sent.body);
  }
  return Buffer.concat(bodies);
}

function failure(status: number, code: string): Answer {
  return xml(status, `<Error><Code>${code}</Code><Message>none</Message></Error>`);
}

function xml(status: number, text: string): Answer {
  return { status, headers: { 'content-type': 'application/xml' }, body: `<?xml version="1.0"?>${text}` };
}
