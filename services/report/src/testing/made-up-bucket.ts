import { Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import { localClientConfig } from '@usher/loopback';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The sums of what a bucket was asked for and given. */
export interface Sent {
  reads: number;
  /** Puts of files or of parts of one. */
  puts: number;
  bytes: number;
}

/** A bucket whose files are made up as they are read, and that keeps none it is given, behind a real client of the SDK. */
export function madeUpBucket(contentOf: (path: string) => Iterable<string>): {
  readonly s3: S3Client;
  readonly sent: Sent;
} {
  const sent: Sent = { reads: 0, puts: 0, bytes: 0 };
  const answerTo = ({ method, path, headers, body }: Asked) => {
    if (method === 'GET') {
      sent.reads++;
      return { statusCode: 200, headers: {}, body: Readable.from(contentOf(path), { objectMode: false }) };
    }
    if (method === 'POST') {
      const xml = '<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>';
      return { statusCode: 200, headers: {}, body: Readable.from([Buffer.from(xml)]) };
    }
    sent.puts++;
    sent.bytes += Buffer.isBuffer(body) ? body.length : 0;
    const checksum = headers['x-amz-checksum-crc32'] ?? '';
    return { statusCode: 200, headers: { etag: 'one', 'x-amz-checksum-crc32': checksum }, body: Readable.from([]) };
  };
  const s3 = new S3Client({
    ...localClientConfig('http://127.0.0.1:1'),
    forcePathStyle: true,
    requestHandler: {
      handle: async (request: Asked) => ({ response: answerTo(request) }),
      updateHttpClientConfig: () => undefined,
      httpHandlerConfigs: () => ({}),
    },
  });
  return { s3, sent };
}
