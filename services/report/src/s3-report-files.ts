import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { ReportFile } from './forms/file.ts';
import type { ReportFiles } from './store/report-files.ts';

/** Files in a bucket. S3 puts an object whole or not at all. */
export class S3ReportFiles implements ReportFiles {
  readonly #s3: S3Client;
  readonly #bucket: string;

  constructor({ s3, bucketName }: { readonly s3: S3Client; readonly bucketName: string }) {
    this.#s3 = s3;
    this.#bucket = bucketName;
  }

  async put(path: string, { content, mediaType }: Pick<ReportFile, 'content' | 'mediaType'>): Promise<void> {
    // As bytes: a stream could not be sent again, and the largest file is some megabytes.
    const Body = Buffer.concat(Array.from(content, (piece) => Buffer.from(piece, 'utf8')));
    await this.#s3.send(new PutObjectCommand({ Bucket: this.#bucket, Key: path, Body, ContentType: mediaType }));
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
}
