export type ServiceName = 'sqs' | 'eventbridge' | 'dynamodb';

/** One call as it arrived: `input` is the parsed JSON body, not yet validated. */
export interface InterceptedCall {
  readonly service: ServiceName;
  readonly operation: string;
  readonly input: unknown;
}

/**
 * The fate of a call: carried out; refused with an AWS error; cut before it is carried out; or carried out and its
 * reply cut, which is what a client sees when the network or the server dies at the worst moment.
 */
export type Fault =
  | 'pass'
  | 'drop-before'
  | 'drop-after'
  | { readonly status: number; readonly type: string; readonly message: string };

/** A test's hook on every call. A promise stalls the call until it resolves. */
export type Intercept = (call: InterceptedCall) => Fault | Promise<Fault>;

export const passAll: Intercept = () => 'pass';
