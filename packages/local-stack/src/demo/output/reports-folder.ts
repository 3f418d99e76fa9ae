import { constants } from 'node:fs';
import { access, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ReportsFolderError } from '../../errors.ts';

/** A folder of its own for the reports of one run, made before the work. */
export interface ReportsFolder {
  readonly path: string;
  /** Leaves nothing behind: for a run that came to no end. A folder that was there before stays, with what is in it. */
  discard(): Promise<void>;
}

/**
 * Makes a folder, with those above it, or takes an empty one: two runs have reports of the same name, and nothing is ever
 * overwritten.
 *
 * @throws ReportsFolderError
 */
export async function openReportsFolder(path: string): Promise<ReportsFolder> {
  try {
    const isNew = await made(path);
    if ((await readdir(path)).length > 0) throw new ReportsFolderError(`${path}: ${notEmpty}`);
    await access(path, constants.W_OK);
    return { path, discard: async () => void (isNew && (await rm(path, { recursive: true, force: true }))) };
  } catch (error) {
    if (error instanceof ReportsFolderError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const known = problems[code] ?? `it cannot be used: ${error instanceof Error ? error.message : String(error)}`;
    throw new ReportsFolderError(`${path}: ${known}`, { cause: error });
  }
}

/** Makes a folder and those above it; false where it was there. Node's own way never ends where the system makes none. */
async function made(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') return false;
    if (code !== 'ENOENT' || (await isThere(dirname(path)))) throw error;
    await made(dirname(path));
    return made(path);
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

const notEmpty = 'it holds files already, and nothing is overwritten; name a new or empty folder';

const problems: Readonly<Record<string, string>> = {
  ENOTDIR: 'it is a file or lies in one; name a folder',
  ENOENT: 'it cannot be made there; name another folder',
  EACCES: 'it may not be written; name another folder',
  EPERM: 'it may not be written; name another folder',
  EROFS: 'it may not be written; name another folder',
};
