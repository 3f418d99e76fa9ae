/** The oldest Node that has what Usher uses: type stripping without a flag, and `node:sqlite`. */
const minimumMajor = 24;

/** Ends the process with a sentence that says what to do where Node is too old; begins every command. */
export function requireNode(version = process.versions.node): void {
  if (Number.parseInt(version, 10) >= minimumMajor) return;
  console.error(
    `Usher needs Node ${minimumMajor}, this is ${version}. The workspace brings its own: run the command through pnpm ` +
      '(`npx -y pnpm@12 install`, then for example `npx -y pnpm@12 demo`).',
  );
  process.exit(1);
}
