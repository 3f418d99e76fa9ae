import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Break } from './break.ts';

const root = join(import.meta.dirname, '..', '..');
const rootUrl = pathToFileURL(root).href;
const parameter = 'break';
const active = new Map<string, Break>();

/** A break's text is no longer in the file it names: the code has changed, and the break must follow. */
export class StaleBreakError extends Error {
  override readonly name = 'StaleBreakError';
}

let isHooked = false;

/** Loads the simulation once more, with the product's code broken: a module graph of its own beside the healthy one. */
export async function loadBroken(one: Break): Promise<typeof import('./run.ts')> {
  hook();
  active.set(one.name, one);
  for (const { file, find } of one.edits) {
    const count = readFileSync(join(root, file), 'utf8').split(find).length - 1;
    if (count !== 1) throw new StaleBreakError(`Break ${one.name}: "${find}" is ${count} times in ${file}, not once`);
  }
  return import(`./run.ts?${parameter}=${one.name}`);
}

function hook(): void {
  if (isHooked) return;
  isHooked = true;
  registerHooks({
    // Whatever a broken module imports from this repository is loaded for it alone; what is installed is shared.
    resolve: (specifier, context, next) => {
      const found = next(specifier, context);
      const name = breakOf(context.parentURL);
      const isOwn = found.url.startsWith(rootUrl) && !found.url.includes('/node_modules/');
      return name !== null && isOwn ? { ...found, url: `${found.url}?${parameter}=${name}` } : found;
    },
    load: (url, context, next) => {
      const one = active.get(breakOf(url) ?? '');
      const loaded = next(url, context);
      const edits = one?.edits.filter(({ file }) => fileURLToPath(url) === join(root, file)) ?? [];
      if (edits.length === 0) return loaded;
      const source = edits.reduce((text, { find, replace }) => text.split(find).join(replace), String(loaded.source));
      return { ...loaded, source };
    },
  });
}

function breakOf(url: string | undefined): string | null {
  return url?.startsWith('file:') ? new URL(url).searchParams.get(parameter) : null;
}
