import { Construct } from 'constructs';
import { createWorkQueue, type WorkQueue } from './queue.ts';
import type { StageSettings } from './stage-settings.ts';

/**
 * Towards the booking system. Both are standard queues, which delay messages one by one; with the account as message
 * group they are fair queues, so that one account's backlog does not hold up the others.
 */
export class DispatchQueue extends Construct {
  /** What is due within 15 minutes. The booking system receives from it; what it gives up on is dead-lettered. */
  readonly dispatch: WorkQueue;
  /** What is due later; the pacer passes it on in time. */
  readonly pacing: WorkQueue;

  constructor(scope: Construct, id: string, settings: StageSettings) {
    super(scope, id);
    this.dispatch = createWorkQueue(this, 'Dispatch', { name: 'dispatch', settings });
    this.pacing = createWorkQueue(this, 'Pacing', { name: 'pacing', settings });
  }
}
