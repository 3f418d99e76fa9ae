import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of the runbook. */
export const runbook = readFileSync(join(import.meta.dirname, '../../../docs/runbook.md'), 'utf8');

/** The runbook's blocks of shell. */
export const shellBlocks = [...runbook.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);

/** The blocks that define functions. */
const functions = shellBlocks.filter((block) => /^\w+\(\) \{/m.test(block)).join('\n');

/**
 * A stand-in for the AWS CLI. It writes each call's arguments to stderr, and answers with what they name; an output that
 * is no queue has its own name as its value.
 */
const standIn = `
aws() {
  echo "$*" >&2
  case "$2" in
    describe-stacks) echo "$*" | sed "s/.*OutputKey=='\\([A-Za-z]*\\)'.*/\\1/; s/\\(.*Url\\)/https:\\/\\/sqs\\/\\1/; s/^Unknown$/https:\\/\\/sqs\\/Unknown/" ;;
    get-queue-attributes) case "$4" in
      https://sqs/Unknown) return 255 ;;
      *) echo "arn:\${4##*/}" ;;
    esac ;;
  esac
}
`;

/** The calls that a line of shell makes with the runbook's functions. */
export function callsOf(line: string): string[] {
  const { stderr } = spawnSync('sh', ['-c', `${standIn}\n${functions}\n${line}`], { encoding: 'utf8' });
  return stderr.split('\n').filter((call) => call !== '');
}
