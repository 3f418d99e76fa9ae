import { describe, expect, test } from 'vitest';
import { createProgress } from './progress.ts';

function output(isTTY: boolean): { isTTY: boolean; write(text: string): void; text(): string } {
  const written: string[] = [];
  return { isTTY, write: (text) => void written.push(text), text: () => written.join('') };
}

describe('the progress', () => {
  test('is one line a stage where there is no terminal', () => {
    const out = output(false);
    const progress = createProgress(out);
    progress.stage('submitting', 3);
    progress.add(2);
    progress.add(1);
    progress.stage('deciding', 3);
    progress.end();
    expect(out.text()).toBe('submitting: 3 rows\ndeciding: 3 rows\n');
  });

  test('is a bar that redraws its line on a terminal, and leaves the line empty', () => {
    const out = output(true);
    const progress = createProgress(out);
    progress.stage('submitting', 4);
    progress.add(1);
    progress.add(3);
    progress.end();
    const lines = out.text().split('\r\u001b[2K');
    expect(lines.map((line) => line.match(/█/g)?.length ?? 0)).toEqual([0, 0, 8, 30, 0]);
    expect(lines[1]).toMatch(/^submitting +░{30} 0 \/ 4 rows$/);
    expect(lines[2]).toMatch(/1 \/ 4 rows$/);
    expect(lines.at(-1)).toBe('');
    expect(out.text()).not.toContain('\n');
  });

  test('counts each stage from its own beginning', () => {
    const out = output(true);
    const progress = createProgress(out);
    progress.stage('submitting', 4);
    progress.add(4);
    progress.stage('handing on', 9);
    expect(out.text()).toMatch(/handing on ░{30} 0 \/ 9 rows$/);
  });

  test('is full where a stage has nothing to do, and no longer than full where there is more than was said', () => {
    const out = output(true);
    const progress = createProgress(out);
    progress.stage('handing on', 0);
    expect(out.text()).toMatch(/ █{30} 0 \/ 0 rows$/);
    progress.add(1);
    expect(out.text()).toMatch(/ █{30} 1 \/ 0 rows$/);
    progress.stage('handing on', 2);
    progress.add(5);
    expect(out.text()).toMatch(/ █{30} 5 \/ 2 rows$/);
  });

  test('says what is waited for until something is done, within the columns of the terminal', () => {
    const out = { ...output(true), columns: 80 };
    const progress = createProgress(out);
    progress.stage('submitting', 731_000);
    progress.wait('the submission limiter', 5);
    progress.add(120_000);
    const lines = out.text().split('\r\u001b[2K');
    expect(lines[2]).toMatch(/^submitting ░+ 0 \/ 731000 rows, waiting for the submission limiter, 5 s$/);
    expect(lines[3]).toMatch(/120000 \/ 731000 rows$/);
    for (const line of lines) expect(line.length).toBeLessThan(80);
    const narrow = { ...output(true), columns: 30 };
    createProgress(narrow).stage('submitting', 731_000);
    for (const line of narrow.text().split('\r\u001b[2K')) expect(line.length).toBeLessThan(30);
  });

  test('tells a wait that lasts once where there is no terminal', () => {
    const out = output(false);
    const progress = createProgress(out);
    progress.stage('submitting', 9);
    progress.wait('the submission limiter', 5);
    progress.wait('the submission limiter', 4);
    progress.wait('the decisions');
    expect(out.text()).toBe('submitting: 9 rows\nwaiting for the submission limiter, 5 s\n');
  });
});
