import { describe, expect, test } from 'vitest';
import { createStackLog } from './stack-log.ts';

function logged(write: (log: ReturnType<typeof createStackLog>) => void): string[] {
  const lines: string[] = [];
  write(createStackLog((line) => void lines.push(line)));
  return lines;
}

describe("the stack's log", () => {
  test('is one line an entry, and leaves out what is only of interest in a search', () => {
    const lines = logged((log) => {
      log.info('Booking accepted', { bookingId: 'bk_a' });
      log.warn('Slow', { ms: 7 });
      log.error('Failed', { text: 'two\nlines' });
    });
    expect(lines).toEqual(['warn Slow {"ms":7}', 'error Failed {"text":"two\\nlines"}']);
  });
});
