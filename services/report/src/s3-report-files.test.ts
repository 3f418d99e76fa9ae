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
