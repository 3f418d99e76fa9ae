import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { textOf } from '../forms/file.ts';
import { reportPage } from '../forms/html/page.ts';
import { startChromium } from '../testing/browser.ts';
import { shownDay } from '../testing/shown-day.ts';

// Makes the pictures of the page in docs/reports, or in the folder given. With --whole the whole page is on each.
const folder = process.argv[2] ?? fileURLToPath(new URL('../../../../docs/reports', import.meta.url));
const isWhole = process.argv.includes('--whole');

const pictures = [
  { name: 'desktop', width: 1280, height: 1500, colorScheme: 'light', media: 'screen' },
  { name: 'dark', width: 1280, height: 1500, colorScheme: 'dark', media: 'screen' },
  { name: 'phone', width: 390, height: 1500, colorScheme: 'light', media: 'screen' },
  { name: 'print', width: 794, height: 1123, colorScheme: 'light', media: 'print' },
] as const;

mkdirSync(folder, { recursive: true });
const scratch = mkdtempSync(join(tmpdir(), 'usher-report-'));
const browser = await startChromium();
try {
  const file = join(scratch, 'report.html');
  writeFileSync(file, textOf(reportPage(shownDay())));
  for (const { name, width, height, colorScheme, media } of pictures) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme, bypassCSP: media === 'print' });
    await page.emulateMedia({ media, colorScheme });
    await page.goto(pathToFileURL(file).href);
    // On paper the page has margins of its own.
    if (media === 'print') await page.addStyleTag({ content: 'body { padding: 14mm 12mm }' });
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: isWhole });
    await page.close();
  }
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true });
}
