import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { type Closing, close } from './close/close.ts';
import { Consumer } from './consume.ts';
import type { ReportPorts } from './ports.ts';

/** The report service's two handlers. */
export interface ReportService {
  /** Puts one batch of events into the table; answers which messages have to come again, in Lambda's shape. */
  consume(event: SQSEvent): Promise<SQSBatchResponse>;
  /** Writes every report that is due. */
  close(): Promise<Closing>;
}

/** Makes the report service. Between batches it keeps the names of accounts that it has noted, which saves writes. */
export function createReport(ports: ReportPorts): ReportService {
  const consumer = new Consumer(ports);
  return { consume: (event) => consumer.consume(event), close: () => close(ports) };
}
