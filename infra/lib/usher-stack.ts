import { CfnOutput, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Alarms } from './alarms.ts';
import { BookingsQueue } from './bookings-queue.ts';
import { UsherBus } from './bus.ts';
import type { Deployment } from './config.ts';
import { UsherDashboard } from './dashboard.ts';
import { DispatchQueue } from './dispatch-queue.ts';
import { UsherHttpApi } from './http-api.ts';
import { Intake } from './intake.ts';
import { Pacer } from './pacer.ts';
import { Reports } from './reports.ts';
import { limitSenders } from './senders.ts';
import { settingsOf } from './stage-settings.ts';
import { UsherTable } from './table.ts';
import { Worker } from './worker.ts';

export interface UsherStackProps extends StackProps {
  readonly deployment: Deployment;
}

/** One stage of Usher, in the order of the flow. */
export class UsherStack extends Stack {
  constructor(scope: Construct, id: string, { deployment, ...props }: UsherStackProps) {
    const settings = settingsOf(deployment.stage);
    super(scope, id, {
      description: `Usher, stage ${deployment.stage}: decides bulk bookings per account within a daily quota`,
      terminationProtection: settings.isProtected,
      ...props,
    });
    Tags.of(this).add('usher:stage', deployment.stage);

    const table = new UsherTable(this, 'Storage', settings);
    const queues = new BookingsQueue(this, 'BookingsQueue', settings);
    const dispatch = new DispatchQueue(this, 'DispatchQueue', settings);
    const bus = new UsherBus(this, 'Events', settings);
    const intake = new Intake(this, 'Intake', { settings, deployment, table, queues });
    const http = new UsherHttpApi(this, 'Http', { settings, deployment, intake: intake.service });
    const flow = { settings, deployment, table, queues, dispatch, bus };
    const worker = new Worker(this, 'Worker', flow);
    const pacer = new Pacer(this, 'Pacer', flow);
    const reports = new Reports(this, 'Reports', flow);
    const whole = { ...flow, intake, http, worker, pacer, reports };
    bus.allowPublish(worker.service, pacer.service, reports.closer);
    limitSenders(whole);

    const alarms = new Alarms(this, 'Alarms', whole);
    new UsherDashboard(this, 'Dashboard', { flow: whole, alarms });

    this.#output({
      ApiUrl: http.api.apiEndpoint,
      TableName: table.table.tableName,
      EventBusName: bus.bus.eventBusName,
      EventBusArn: bus.bus.eventBusArn,
      EventArchiveArn: bus.archive.archiveArn,
      EventsRuleArn: bus.rule.ruleArn,
      BookingsQueueUrl: queues.bookings.queue.queueUrl,
      BookingsDeadLettersUrl: queues.bookings.deadLetters.queueUrl,
      QuarantineQueueUrl: queues.quarantine.queueUrl,
      DispatchQueueUrl: dispatch.dispatch.queue.queueUrl,
      DispatchDeadLettersUrl: dispatch.dispatch.deadLetters.queueUrl,
      PacingQueueUrl: dispatch.pacing.queue.queueUrl,
      PacingDeadLettersUrl: dispatch.pacing.deadLetters.queueUrl,
      EventsQueueUrl: bus.events.queue.queueUrl,
      EventsDeadLettersUrl: bus.events.deadLetters.queueUrl,
      ReportTableName: reports.table.tableName,
      ReportBucketName: reports.bucket.bucketName,
      ReportRuleArn: reports.rule.ruleArn,
      ReportQueueUrl: reports.events.queue.queueUrl,
      ReportDeadLettersUrl: reports.events.deadLetters.queueUrl,
      IntakeFunctionName: intake.service.function.functionName,
      WorkerFunctionName: worker.service.function.functionName,
      PacerFunctionName: pacer.service.function.functionName,
      ReporterFunctionName: reports.reporter.function.functionName,
      CloserFunctionName: reports.closer.function.functionName,
      AlarmTopicArn: alarms.topic.topicArn,
    });
  }

  #output(values: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value });
  }
}
