import { Construct } from 'constructs';
import { createWorkQueue, type WorkQueue } from './queue.ts';
import type { StageSettings } from './stage-settings.ts';

/**
 * The queues to the booking system. Both are standard queues, which delay messages one by one; with the account as
 * message group they are fair queues, so that one account's backlog does not hold up the others.
 */
export class DispatchQueue extends Construct {
  /** Dispatches due within 15 minutes. The booking system receives from it; one that it gives up is dead-lettered. */
  readonly dispatch: WorkQueue;
  /** Rows due later; the pacer passes them on in time. */
  readonly pacing: WorkQueue;

  constructor(scope: Construct, id: string, settings: StageSettings) {
    super(scope, id);
    this.dispatch = createWorkQueue(this, 'Dispatch', { name: 'dispatch', settings });
    this.pacing = createWorkQueue(this, 'Pacing', { name: 'pacing', settings });
  }
}
