import type { DayReport } from '../model/report.ts';
import { fileOf, type ReportFile } from './file.ts';

/** The whole report as JSON, one account a line, in pieces: ten thousand accounts are never one text. */
export function reportJson(report: DayReport): ReportFile {
  return fileOf('report.json', 'application/json', () => jsonPieces(report));
}

/** The two lists that can be long come last, element by element. */
function* jsonPieces({ missing, accounts, ...rest }: DayReport): Generator<string> {
  yield JSON.stringify(rest).slice(0, -1);
  yield* listPieces('missing', missing);
  yield* listPieces('accounts', accounts);
  yield '}\n';
}

function* listPieces(name: string, list: readonly unknown[]): Generator<string> {
  yield `,"${name}":[`;
  for (const [at, element] of list.entries()) yield `${at === 0 ? '\n' : ',\n'}${JSON.stringify(element)}`;
  yield list.length === 0 ? ']' : '\n]';
}
