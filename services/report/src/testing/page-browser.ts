import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { textOf } from '../forms/file.ts';
import { reportPage } from '../forms/html/page.ts';
import type { DayReport } from '../model/report.ts';
import { startChromium } from './browser.ts';

/** Opens pages of reports in Chromium, and keeps what they say and ask for. */
export class PageBrowser {
  /** Errors of scripts, and what a page's policy refused. */
  readonly said: string[] = [];
  readonly requests: string[] = [];
  readonly #browser: Browser;
  readonly #folder = mkdtempSync(join(tmpdir(), 'usher-page-'));
  #files = 0;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<PageBrowser> {
    return new PageBrowser(await startChromium());
  }

  async open(
    report: DayReport,
    { hash = '', ...options }: BrowserContextOptions & { readonly hash?: string } = {},
  ): Promise<Page> {
    const file = join(this.#folder, `${++this.#files}.html`);
    writeFileSync(file, textOf(reportPage(report)));
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    // What hangs is ended by its test, on a slow machine as well.
    context.setDefaultTimeout(0);
    const page = await context.newPage();
    page.on('console', (message) => this.said.push(message.text()));
    page.on('pageerror', (error) => this.said.push(error.message));
    page.on('request', (request) => this.requests.push(request.url()));
    await page.goto(`${pathToFileURL(file).href}${hash}`);
    return page;
  }

  /** Requests for anything but the pages themselves. */
  foreignRequests(): string[] {
    return this.requests.filter((url) => !url.startsWith(pathToFileURL(this.#folder).href));
  }

  async close(): Promise<void> {
    await this.#browser.close();
    rmSync(this.#folder, { recursive: true });
  }
}
