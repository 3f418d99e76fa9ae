import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { buildOptions, bundle, type Service } from '../lib/bundle.ts';

/**
 * Prints how long a fresh process takes to load each bundle, as a ratio to one that loads and makes the bare AWS
 * clients of that bundle: what Usher's own code adds to a cold start. A ratio, because the milliseconds are the
 * machine's; the median of many runs, taken in turns, because a busy machine is uneven.
 */
const runs = 15;

const clients: Readonly<Record<Service, Readonly<Record<string, string>>>> = {
  intake: { '@aws-sdk/client-dynamodb': 'DynamoDBClient', '@aws-sdk/client-sqs': 'SQSClient' },
  worker: {
    '@aws-sdk/client-dynamodb': 'DynamoDBClient',
    '@aws-sdk/client-sqs': 'SQSClient',
    '@aws-sdk/client-eventbridge': 'EventBridgeClient',
  },
  report: {
    '@aws-sdk/client-dynamodb': 'DynamoDBClient',
    '@aws-sdk/client-sqs': 'SQSClient',
    '@aws-sdk/client-eventbridge': 'EventBridgeClient',
    '@aws-sdk/client-s3': 'S3Client',
  },
};

const environment = {
  AWS_REGION: 'us-east-1',
  POWERTOOLS_METRICS_NAMESPACE: 'Usher/cold-start',
  USHER_TABLE: 'table',
  USHER_BUS: 'bus',
  USHER_BOOKINGS_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/000000000000/bookings.fifo',
  USHER_DISPATCH_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/000000000000/dispatch',
  USHER_PACING_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/000000000000/pacing',
  USHER_REPORT_TABLE: 'reports',
  USHER_REPORT_BUCKET: 'reports',
  USHER_DEAD_LETTER_QUEUE_URLS: 'https://sqs.us-east-1.amazonaws.com/000000000000/dead',
  USHER_QUARANTINE_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/000000000000/quarantine',
};

function bareClients(service: Service): string {
  const directory = fileURLToPath(new URL(`../dist/bare-${service}`, import.meta.url));
  mkdirSync(directory, { recursive: true });
  const made = Object.entries(clients[service]);
  buildSync({
    ...buildOptions,
    stdin: {
      contents: made.map(([from, name]) => `import { ${name} } from '${from}'; new ${name}();`).join('\n'),
      resolveDir: fileURLToPath(new URL('..', import.meta.url)),
    },
    outfile: `${directory}/index.js`,
  });
  return `${directory}/index.js`;
}

/** Milliseconds that `require` of a file takes in a process of its own. */
function loadMs(file: string): number {
  const script = 'const t = performance.now(); require(process.argv[1]); console.log(performance.now() - t)';
  return Number(execFileSync(process.execPath, ['-e', script, file], { env: environment, encoding: 'utf8' }));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

for (const service of ['intake', 'worker'] as const) {
  const { directory, bytes } = bundle(service);
  const bare = bareClients(service);
  const [own, bareMs]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    own.push(loadMs(`${directory}/index.js`));
    bareMs.push(loadMs(bare));
  }
  const [a, b] = [median(own), median(bareMs)];
  console.log(
    `${service}: ${(bytes / 1000).toFixed(0)} kB minified, loads in ${a.toFixed(0)} ms, ` +
      `${(a / b).toFixed(2)} × its bare SDK clients (${b.toFixed(0)} ms), median of ${runs}`,
  );
}
