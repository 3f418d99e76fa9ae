import { defineConfig } from 'tsdown';
import manifest from './package.json' with { type: 'json' };

const sources: Record<string, string> = manifest.exports;

/** Every published entry, by its file in dist without ending: its source is what the same subpath is in development. */
const entry = Object.fromEntries(
  Object.entries(manifest.publishConfig.exports).map(([subpath, { default: built }]) => {
    const source = sources[subpath];
    if (source === undefined) throw new Error(`package.json publishes ${subpath}, and its exports do not have it.`);
    return [built.slice('./dist/'.length, -'.js'.length), source];
  }),
);

export default defineConfig({
  entry,
  format: 'esm',
  platform: 'node',
  fixedExtension: false,
  target: 'node20.19',
  tsconfig: 'tsconfig.build.json',
  dts: true,
  // The same names in every build, so that a stack trace and a diff of two tarballs can be read.
  hash: false,
});
