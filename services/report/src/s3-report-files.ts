import {
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { FileToPut, ReportFiles } from './store/report-files.ts';

/** The bytes that are held of a file, and sent at once: S3 takes no smaller part, but for the last. */
const partBytes = 5 * 1024 * 1024;

/**
 * Files in a bucket. S3 puts an object whole or not at all, one of several parts too. Parts of one that is never ended are the
 * bucket's lifecycle's.
 */
export class S3ReportFiles implements ReportFiles {
  readonly #s3: S3Client;
  readonly #bucket: string;

  constructor({ s3, bucketName }: { readonly s3: S3Client; readonly bucketName: string }) {
    this.#s3 = s3;
    this.#bucket = bucketName;
  }

  async put(path: string, { content, mediaType }: FileToPut): Promise<void> {
    const object = { Bucket: this.#bucket, Key: path };
    let UploadId: string | undefined;
    const Parts: CompletedPart[] = [];
    // Each part as bytes: a stream could not be sent again.
    for await (const { Body, isLast } of partsOf(content)) {
      if (isLast && Parts.length === 0) {
        await this.#s3.send(new PutObjectCommand({ ...object, Body, ContentType: mediaType }));
        return;
      }
      UploadId ??= await this.#begin(object, mediaType);
      Parts.push(await this.#sendPart({ ...object, UploadId, PartNumber: Parts.length + 1, Body }));
    }
    await this.#s3.send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }));
  }

  async read(path: string): Promise<string | undefined> {
    try {
      const { Body } = await this.#s3.send(new GetObjectCommand({ Bucket: this.#bucket, Key: path }));
      return await Body?.transformToString('utf8');
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  /** Begins an object of parts. Their checksum is told from the start: S3 refuses parts with one that it was not told of. */
  async #begin(object: { readonly Bucket: string; readonly Key: string }, mediaType: string): Promise<string> {
    const command = new CreateMultipartUploadCommand({ ...object, ContentType: mediaType, ChecksumAlgorithm: 'CRC32' });
    const { UploadId } = await this.#s3.send(command);
    if (UploadId === undefined) throw new Error(`S3 named no upload for ${object.Key}`);
    return UploadId;
  }

  async #sendPart(part: {
    readonly Bucket: string;
    readonly Key: string;
    readonly UploadId: string;
    readonly PartNumber: number;
    readonly Body: Buffer;
  }): Promise<CompletedPart> {
    const { ETag, ChecksumCRC32 } = await this.#s3.send(new UploadPartCommand({ ...part, ChecksumAlgorithm: 'CRC32' }));
    return { PartNumber: part.PartNumber, ETag, ChecksumCRC32 };
  }
}

/** Text as bytes in parts of {@link partBytes} or a little more; the last is what is left. */
async function* partsOf(content: FileToPut['content']): AsyncGenerator<{ Body: Buffer; isLast: boolean }> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of content) {
    if (bytes >= partBytes) {
      yield { Body: Buffer.concat(pieces), isLast: false };
      pieces = [];
      bytes = 0;
    }
    const more = Buffer.from(piece, 'utf8');
    pieces.push(more);
    bytes += more.length;
  }
  yield { Body: Buffer.concat(pieces), isLast: true };
}
