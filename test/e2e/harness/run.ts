import type { StackOutputs } from '../../../infra/lib/verify/outputs.ts';
import type { Credentials } from './operator.ts';

/** The audience that tokens must be meant for. */
export const audience = 'usher-e2e';

/** The deployment under test, as the tests need it. */
export interface Run {
  readonly endpoint: string;
  /** Path of the emulator's certificate, PEM. */
  readonly certificate: string;
  readonly outputs: StackOutputs;
  /** The key of the operator whom the deployment knows. */
  readonly operator: Credentials;
  readonly issuer: { readonly url: string; readonly key: Readonly<Record<string, unknown>> };
}

declare module 'vitest' {
  interface ProvidedContext {
    run: Run;
  }
}
