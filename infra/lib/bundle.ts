import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';

/** The Lambda bundles, by the service whose `src/handler.ts` they start from. */
export type Service = 'intake' | 'worker' | 'report';

/** A bundle on disk. */
export interface Bundle {
  /** The folder of `index.js` and its source map; it holds nothing else. */
  readonly directory: string;
  /** Size of the minified `index.js`. */
  readonly bytes: number;
  /** The inputs, each with its bytes in the output. */
  readonly inputs: Metafile['outputs'][string]['inputs'];
}

/** esbuild's options for every bundle. */
export const buildOptions = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  // esbuild prefers CommonJS for Node; ES modules are what it can leave unused parts out of.
  mainFields: ['module', 'main'],
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
} as const satisfies BuildOptions;

const built = new Map<Service, Bundle>();

/**
 * Bundles a service for Node 24 on Lambda, with everything in: the AWS SDK of the tests is the one that runs. Called
 * directly rather than through NodejsFunction, which would start the package manager to find esbuild and keeps no
 * account of what went in.
 */
export function bundle(service: Service): Bundle {
  const known = built.get(service);
  if (known !== undefined) return known;
  const directory = fileURLToPath(new URL(`../dist/${service}`, import.meta.url));
  const { metafile } = buildSync({
    entryPoints: [fileURLToPath(new URL(`../../services/${service}/src/handler.ts`, import.meta.url))],
    outfile: `${directory}/index.js`,
    ...buildOptions,
    metafile: true,
  });
  const code = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint !== undefined);
  if (code === undefined) throw new Error(`esbuild made no bundle of ${service}`);
  const result = { directory, bytes: code.bytes, inputs: code.inputs };
  built.set(service, result);
  return result;
}
