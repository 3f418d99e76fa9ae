import { eventBusName, eventSource } from '@usher/contracts';
import { Duration } from 'aws-cdk-lib';
import { Archive, CfnEventBusPolicy, EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { addEventSchemas } from './event-schemas.ts';
import { archiveDays } from './numbers.ts';
import { createWorkQueue, type WorkQueue } from './queue.ts';
import type { ServiceFunction } from './service-function.ts';
import type { StageSettings } from './stage-settings.ts';

/** The event bus, its archive, and one subscription as an example. */
export class UsherBus extends Construct {
  readonly bus: EventBus;
  readonly archive: Archive;
  /** The queue that gets every event. It is there to look at; consumers bring rules of their own. */
  readonly events: WorkQueue;
  /** The rule that puts every event on the events queue. */
  readonly rule: Rule;

  constructor(scope: Construct, id: string, settings: StageSettings) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: `${eventBusName}-${settings.stage}`,
      description: 'Decisions, usage and thresholds of Usher',
    });
    const eventPattern = { source: [eventSource] };
    this.archive = new Archive(this, 'Archive', {
      sourceEventBus: this.bus,
      eventPattern,
      retention: Duration.days(archiveDays),
      description: 'Every event of Usher, to be replayed to a consumer that lost some',
    });
    this.events = createWorkQueue(this, 'Events', { name: 'events', settings });
    this.rule = new Rule(this, 'AllEvents', {
      eventBus: this.bus,
      eventPattern,
      description: 'Every event of Usher to the events queue',
      targets: [new SqsQueue(this.events.queue, { deadLetterQueue: this.events.deadLetters })],
    });
    addEventSchemas(this, settings.stage);
  }

  /**
   * Lets these functions, and nobody else, publish. The bus's own policy refuses all others whatever their roles say,
   * so that a consumer can believe what it reads; services of AWS are left out, for one of them replays the archive.
   */
  allowPublish(...publishers: readonly ServiceFunction[]): void {
    const resources = [this.bus.eventBusArn];
    for (const publisher of publishers) {
      publisher.allow(
        new PolicyStatement({
          actions: ['events:PutEvents'],
          resources,
          conditions: { StringEquals: { 'events:source': eventSource } },
        }),
      );
    }
    const onlyPublishers = new PolicyStatement({
      sid: 'OnlyUsherPublishes',
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: ['events:PutEvents'],
      resources,
      conditions: {
        ArnNotEquals: { 'aws:PrincipalArn': publishers.map(({ role }) => role.roleArn) },
        Bool: { 'aws:PrincipalIsAWSService': 'false' },
      },
    });
    new CfnEventBusPolicy(this, 'OnlyUsherPublishes', {
      eventBusName: this.bus.eventBusName,
      statementId: 'OnlyUsherPublishes',
      statement: onlyPublishers.toStatementJson(),
    });
  }
}
