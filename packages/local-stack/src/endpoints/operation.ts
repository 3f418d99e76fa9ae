import { type ArkErrors, type } from 'arktype';
import type { AwsError } from './aws-error.ts';
import type { CallContext, Operation } from './aws-json-server.ts';

/** An operation that runs on input that fits the schema; `refuse` makes the error for input that does not. */
export function validated<Input>(
  schema: (input: unknown) => Input | ArkErrors,
  run: (input: Input, context: CallContext) => object | Promise<object>,
  refuse: (problem: string) => AwsError,
): Operation {
  return (raw, context) => {
    const input = schema(raw);
    if (input instanceof type.errors) throw refuse(input.summary);
    return run(input, context);
  };
}
