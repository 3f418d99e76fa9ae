import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileToPut, ReportFiles } from './report-files.ts';

/** Files in a folder. A file is written beside its place and moved there whole. */
export class FolderReportFiles implements ReportFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(path: string, { content }: Pick<FileToPut, 'content'>): Promise<void> {
    const place = join(this.#folder, path);
    const beside = `${place}.${randomUUID()}.part`;
    await mkdir(dirname(place), { recursive: true });
    try {
      const file = await open(beside, 'w');
      try {
        for await (const piece of content) await file.write(piece, null, 'utf8');
      } finally {
        await file.close();
      }
      await rename(beside, place);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
  }

  async read(path: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.#folder, path), 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }
}
