import type { FileToPut, ReportFiles } from './report-files.ts';

/** Files in memory, for tests and simulations. */
export class MemoryReportFiles implements ReportFiles {
  readonly texts = new Map<string, string>();

  async put(path: string, { content }: Pick<FileToPut, 'content'>): Promise<void> {
    let text = '';
    for await (const piece of content) text += piece;
    this.texts.set(path, text);
  }

  async read(path: string): Promise<string | undefined> {
    return this.texts.get(path);
  }
}
