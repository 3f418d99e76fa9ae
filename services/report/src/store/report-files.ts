import type { ReportFile } from '../forms/file.ts';

/** The place where reports lie: a bucket, or a folder of the embedded stack. */
export interface ReportFiles {
  /** Puts a file whole, in place of one of the same path. Two puts of one path never mix. */
  put(path: string, file: Pick<ReportFile, 'content' | 'mediaType'>): Promise<void>;
  /** A file's text; undefined where there is none. */
  read(path: string): Promise<string | undefined>;
}
