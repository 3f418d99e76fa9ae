import type { BookingsQueue } from './bookings-queue.ts';
import type { UsherBus } from './bus.ts';
import type { Deployment } from './config.ts';
import type { DispatchQueue } from './dispatch-queue.ts';
import type { UsherHttpApi } from './http-api.ts';
import type { Intake } from './intake.ts';
import type { Pacer } from './pacer.ts';
import type { Reports } from './reports.ts';
import type { StageSettings } from './stage-settings.ts';
import type { UsherTable } from './table.ts';
import type { Worker } from './worker.ts';

/** All stages of the flow, for alarms and dashboard. */
export interface Flow {
  readonly settings: StageSettings;
  readonly deployment: Deployment;
  readonly http: UsherHttpApi;
  readonly intake: Intake;
  readonly queues: BookingsQueue;
  readonly worker: Worker;
  readonly table: UsherTable;
  readonly bus: UsherBus;
  readonly dispatch: DispatchQueue;
  readonly pacer: Pacer;
  readonly reports: Reports;
}
