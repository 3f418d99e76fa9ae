import { newCommand, Option, readCommandLine, runCommand } from '@usher/cli';
import { RehearsalError } from '../errors.ts';

/** `pnpm rehearse`: a chunk dies and is redriven on the embedded stack that another terminal runs (runbook). */
await runCommand({ name: 'rehearse', told: [RehearsalError] }, main);

async function main(args: readonly string[]): Promise<number> {
  const { api, sqs, dynamodb } = readArguments(args);
  const { rehearseRedrive } = await import('../rehearse-redrive.ts');
  await rehearseRedrive({ apiUrl: api, sqsUrl: sqs, dynamoDbUrl: dynamodb, log: console.log });
  return 0;
}

function readArguments(args: readonly string[]) {
  const command = newCommand('rehearse', 'Lets a chunk die on a started embedded stack, and redrives it.')
    .addOption(new Option('--api <url>', 'address of the HTTP API').default('http://127.0.0.1:8787'))
    .requiredOption('--sqs <url>', 'address of SQS, as start prints it')
    .requiredOption('--dynamodb <url>', 'address of DynamoDB, as start prints it');
  readCommandLine(command, args);
  return command.opts();
}
