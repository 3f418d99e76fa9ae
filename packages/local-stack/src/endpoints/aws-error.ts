/**
 * An answer AWS itself would give with a 4xx or 5xx status. `type` is the modelled shape name (`__type` of the JSON
 * protocols); `queryCode` is the older name that SQS repeats in `x-amzn-query-error`, absent for other services.
 */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly type: string;
  readonly status: number;
  readonly queryCode: string | undefined;

  constructor(type: string, message: string, options: { status?: number; queryCode?: string } = {}) {
    super(message);
    this.type = type;
    this.status = options.status ?? 400;
    this.queryCode = options.queryCode;
  }
}

export const validationError = (message: string): AwsError => new AwsError('ValidationException', message);
