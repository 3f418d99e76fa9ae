import { nearest } from './nearest.ts';

/** Context keys without a prefix that the CDK CLI itself keeps (`cdk acknowledge`, `cdk cli-telemetry`). */
const keysOfCdk = new Set(['acknowledged-issue-numbers', 'cli-telemetry']);

/**
 * A key's faults: none for one that is known, or that is CDK's own. Feature flags (`@aws-cdk/…`), the CLI's settings
 * (`aws:cdk:…`) and cached look-ups (`availability-zones:…`) all have a colon or begin with `@`; ours never do.
 */
export function unknownKeys(keys: readonly string[], known: readonly string[]): string[] {
  return keys
    .filter((key) => !known.includes(key) && !key.includes(':') && !key.startsWith('@') && !keysOfCdk.has(key))
    .map((key) => {
      const meant = nearest(key, known);
      const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`;
      return `${key.trim() === key && key !== '' ? key : JSON.stringify(key)} is no setting; ${hint}`;
    });
}
