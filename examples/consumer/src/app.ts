import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { ConsumerStack } from './consumer-stack.ts';

const { USHER_STAGE: stage = 'dev' } = process.env;
new ConsumerStack(new App(), `usage-consumer-${stage}`, {
  stage,
  codeFolder: fileURLToPath(new URL('../dist', import.meta.url)),
});
