/** Ends this process when the one that started it is gone: a killed test leaves nothing behind. */
export function dieWithParent(): void {
  process.stdin.on('end', () => process.exit(1)).resume();
  process.stdout.on('error', () => process.exit(1));
}
