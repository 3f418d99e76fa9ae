import { createHash } from 'node:crypto';
import { partnerReportOf } from '../model/partner.ts';
import type { AccountReport, DayReport } from '../model/report.ts';
import { fileOf, type ReportFile } from './file.ts';

/** A folder's name is at most so long; file systems take 255 bytes. */
const nameMaxLength = 180;

/** The file of each account for its partner: that account's figures and nothing of others or of Usher's insides. */
export function* accountFilesOf(report: DayReport): Generator<ReportFile> {
  for (const account of report.accounts) {
    const name = `accounts/${fileNameOf(account.accountId)}/${fileNameOf(account.timezone)}.json`;
    yield fileOf(name, 'application/json', () => partnerPieces(report, account));
  }
}

function* partnerPieces(report: DayReport, account: AccountReport): Generator<string> {
  yield `${JSON.stringify(partnerReportOf(report, account), null, 2)}\n`;
}

/**
 * An id as a name that every file system keeps apart: all but small letters, digits, `-` and `_` becomes `%` and the bytes in
 * hexadecimal, so no id leads elsewhere and no two differ by case alone. A long one is cut, and its digest put behind.
 */
export function fileNameOf(id: string): string {
  const name = [...Buffer.from(id, 'utf8')]
    .map((byte) => (/[a-z0-9_-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${hex(byte)}`))
    .join('');
  if (name.length <= nameMaxLength) return name;
  return `${name.slice(0, nameMaxLength - 17)}~${createHash('sha256').update(id, 'utf8').digest('hex').slice(0, 16)}`;
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
