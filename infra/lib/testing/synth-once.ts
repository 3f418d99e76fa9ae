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
    const { app, stack } = createApp(contextOf(stage));
    return [stage, JSON.stringify(app.synth().getStackByName(stack.stackName).template)];
  });
  project.provide('templates', { dev: '', prod: '', ...Object.fromEntries(templates) });
}
