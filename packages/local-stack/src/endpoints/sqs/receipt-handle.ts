import { invalidParameter, sqsError } from './errors.ts';

/** The delivery of a message that a handle stands for. */
export interface Receipt {
  readonly id: number;
  readonly receiveCount: number;
}

const handlePattern = /^([A-Za-z0-9_.-]{1,80})#(\d{1,15})#(\d{1,9})$/;

/**
 * A handle names queue, message and how often it had been received. Ids are never given out twice, so a handle can
 * mean one delivery only, and the handle of an earlier delivery is known for what it is: stale.
 */
export function toReceiptHandle(queueName: string, receipt: Receipt): string {
  return Buffer.from(`${queueName}#${receipt.id}#${receipt.receiveCount}`).toString('base64url');
}

/** @throws AwsError ReceiptHandleIsInvalid for what this endpoint never gave out, or gave out for another queue. */
export function readReceiptHandle(queueName: string, handle: string): Receipt {
  const [, queue, id, receiveCount] = handlePattern.exec(Buffer.from(handle, 'base64url').toString('latin1')) ?? [];
  if (queue !== queueName || id === undefined || receiveCount === undefined) {
    throw sqsError('ReceiptHandleIsInvalid', `The input receipt handle "${handle}" is not a valid receipt handle.`);
  }
  return { id: Number(id), receiveCount: Number(receiveCount) };
}

export const expiredHandle = (handle: string): Error =>
  invalidParameter('ReceiptHandle', handle, 'The receipt handle has expired.');
