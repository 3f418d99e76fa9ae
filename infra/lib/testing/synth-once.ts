import type { TestProject } from 'vitest/node';
import { createApp } from '../create-app.ts';
import { contextOf, type StageName, stageNames } from './contexts.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The synthesised template of each stage, as JSON. */
    templates: Record<StageName, string>;
  }
}

/** Synthesises both stages once for all test files. */
export function setup(project: TestProject): void {
  const templates = stageNames.map((stage) => {
    return [stage, synthesise(stage)];
  });
  project.provide('templates', { dev: '', prod: '', ...Object.fromEntries(templates) });
}

/** CDK's own errors do not survive vitest's way of printing them, and cdk-nag's findings are in their message. */
function synthesise(stage: StageName): string {
  try {
    const { app, stack } = createApp(contextOf(stage));
    return JSON.stringify(app.synth().getStackByName(stack.stackName).template);
  } catch (error) {
    throw new Error(`Stage ${stage} does not synthesise: ${error instanceof Error ? error.message : String(error)}`);
  }
}
