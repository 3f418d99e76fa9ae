import type { ReportFile } from '../forms/file.ts';
import type { ReportFiles } from './report-files.ts';

/** Files in memory, for tests and simulations. */
export class MemoryReportFiles implements ReportFiles {
  readonly texts = new Map<string, string>();

  async put(path: string, { content }: Pick<ReportFile, 'content'>): Promise<void> {
    this.texts.set(path, [...content].join(''));
  }

  async read(path: string): Promise<string | undefined> {
    return this.texts.get(path);
  }
}
