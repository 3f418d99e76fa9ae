import { S3Client } from '@aws-sdk/client-s3';
import { localClientConfig } from '@usher/loopback';
import { expect, onTestFinished, test } from 'vitest';
import { S3ReportFiles } from './s3-report-files.ts';
import { reportFilesContract } from './store/report-files.contract.ts';
import { type FakeS3, startFakeS3 } from './testing/fake-s3.ts';

async function start(): Promise<{ files: S3ReportFiles; fake: FakeS3 }> {
  const fake = await startFakeS3();
  const s3 = new S3Client({
    ...localClientConfig(fake.url),
    forcePathStyle: true,
    // The fake takes a body as it is, without the checksum's frame around it.
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  onTestFinished(() => {
    s3.destroy();
    fake.close();
  });
  return { files: new S3ReportFiles({ s3, bucketName: 'reports' }), fake };
}

reportFilesContract('S3ReportFiles', async () => (await start()).files);

test('an object is told its media type', async () => {
  const { files, fake } = await start();
  await files.put('2026-11-29/all/run-1/report.html', { mediaType: 'text/html; charset=utf-8', content: ['<p>'] });
  expect(fake.objects.get('/reports/2026-11-29/all/run-1/report.html')?.mediaType).toBe('text/html; charset=utf-8');
});

const mib = 1024 * 1024;

/** Text of so many bytes in pieces, with where each begins. */
async function* piecesOf(bytes: number, pieceBytes = mib): AsyncGenerator<string> {
  for (let at = 0; at < bytes; at += pieceBytes) yield String(at).padEnd(Math.min(pieceBytes, bytes - at), 'x');
}

test.each([
  [5 * mib, 0],
  [5 * mib + 1, 2],
  [10 * mib, 2],
  [14 * mib + 3, 3],
])('a file of %i bytes is put in %i parts, and is one object', async (bytes, parts) => {
  const { files, fake } = await start();
  await files.put('months/2026-11/days.csv', { mediaType: 'text/csv', content: piecesOf(bytes) });
  const object = fake.objects.get('/reports/months/2026-11/days.csv');
  let text = '';
  for await (const piece of piecesOf(bytes)) text += piece;
  expect(object?.body.equals(Buffer.from(text))).toBe(true);
  expect(object?.mediaType).toBe('text/csv');
  expect([...fake.uploads.values()].map((upload) => upload.parts.size)).toEqual(parts === 0 ? [] : [parts]);
});

test('a file in parts whose content fails leaves the one before', async () => {
  const { files, fake } = await start();
  await files.put('days.csv', { mediaType: 'text/csv', content: ['before'] });
  const failing = (async function* () {
    yield* piecesOf(6 * mib);
    throw new Error('no more');
  })();
  await expect(files.put('days.csv', { mediaType: 'text/csv', content: failing })).rejects.toThrow('no more');
  expect(fake.uploads.size).toBe(1);
  expect(await files.read('days.csv')).toBe('before');
});
