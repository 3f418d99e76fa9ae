import { fileURLToPath } from 'node:url';
import { BookingFileError, type FileBookings, readBookingFiles } from '@usher/local-stack/testing';

/** The path of a case's input. */
export function pathOfInput(name: string): string {
  return fileURLToPath(new URL(`../cases/inputs/${name}`, import.meta.url));
}

/** Reads an input of a case as the demo reads its files. */
export function readInput(name: string): Promise<FileBookings> {
  return readBookingFiles([pathOfInput(name)]);
}

/** The message about a file that cannot be used, line by line, without the folder. */
export async function faultsOf(reading: Promise<FileBookings>): Promise<string[]> {
  const error: unknown = await reading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof BookingFileError)) throw new Error('The file was not refused', { cause: error });
  return error.message.split('\n').map((line) => line.replace(pathOfInput(''), ''));
}
