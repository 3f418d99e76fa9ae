import { afterEach, describe, expect, it, vi } from 'vitest';
import { requireNode } from './node-version.ts';

describe('the check of the Node version', () => {
  afterEach(() => void vi.restoreAllMocks());

  function check(version: string): { code: unknown; said: string } {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
      throw new Error('exit');
    });
    try {
      requireNode(version);
    } catch (error) {
      expect(error).toEqual(new Error('exit'));
    }
    return { code: exit.mock.calls[0]?.[0], said: said.mock.calls.flat().join() };
  }

  it.each(['24.0.0', '24.21.0', '100.1.0'])('lets %s pass', (version) => {
    expect(check(version)).toEqual({ code: undefined, said: '' });
  });

  it.each(['22.18.0', '20.20.0', '9.0.0'])('ends the process on %s and says what to do', (version) => {
    const { code, said } = check(version);
    expect(code).toBe(1);
    expect(said).toContain(`Usher needs Node 24, this is ${version}.`);
    expect(said).toContain('npx -y pnpm@12 install');
  });
});
