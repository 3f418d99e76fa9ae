import { AwsError } from '../aws-error.ts';

/**
 * SQS's errors: the modelled shape, and the code of the older query protocol that AWS repeats in `x-amzn-query-error`
 * and in the `Code` of batch entries.
 * Source: the Errors sections of the SQS API Reference and the awsQueryError traits of its model.
 */
const queryCodes = {
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  QueueNameExists: 'QueueAlreadyExists',
  InvalidAttributeName: 'InvalidAttributeName',
  InvalidAttributeValue: 'InvalidAttributeValue',
  InvalidMessageContents: 'InvalidMessageContents',
  InvalidParameterValueException: 'InvalidParameterValue',
  MissingRequiredParameterException: 'MissingParameter',
  UnsupportedOperation: 'AWS.SimpleQueueService.UnsupportedOperation',
  EmptyBatchRequest: 'AWS.SimpleQueueService.EmptyBatchRequest',
  TooManyEntriesInBatchRequest: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
  BatchEntryIdsNotDistinct: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
  InvalidBatchEntryId: 'AWS.SimpleQueueService.InvalidBatchEntryId',
  BatchRequestTooLong: 'AWS.SimpleQueueService.BatchRequestTooLong',
  ReceiptHandleIsInvalid: 'ReceiptHandleIsInvalid',
  ResourceNotFoundException: 'ResourceNotFoundException',
  MessageNotInflight: 'AWS.SimpleQueueService.MessageNotInflight',
} as const;

export function sqsError(type: keyof typeof queryCodes, message: string): AwsError {
  return new AwsError(`com.amazonaws.sqs#${type}`, message, { queryCode: queryCodes[type] });
}

/** "Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10." */
export function invalidParameter(name: string, value: string | number, reason: string): AwsError {
  return sqsError(
    'InvalidParameterValueException',
    `Value ${value} for parameter ${name} is invalid. Reason: ${reason}`,
  );
}

export const missingParameter = (name: string): AwsError =>
  sqsError('MissingRequiredParameterException', `The request must contain the parameter ${name}.`);
