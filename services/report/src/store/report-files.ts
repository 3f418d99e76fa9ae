/** A file to put: its text in pieces, so that none is held whole. */
export interface FileToPut {
  readonly mediaType: string;
  readonly content: Iterable<string> | AsyncIterable<string>;
}

/** The place where reports lie: a bucket, or a folder of the embedded stack. */
export interface ReportFiles {
  /** Puts a file whole, in place of one of the same path. Two puts of one path never mix. */
  put(path: string, file: FileToPut): Promise<void>;
  /** A file's text; undefined where there is none. */
  read(path: string): Promise<string | undefined>;
}
