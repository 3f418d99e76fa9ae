import { Duration } from 'aws-cdk-lib';
import { AlarmStatusWidget, Dashboard, GraphWidget, type IMetric, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Alarms } from './alarms.ts';
import type { Flow } from './flow.ts';
import { usherMetrics } from './metrics.ts';

const fullWidth = 24;
const period = Duration.minutes(5);

/** One page that reads like the flow: alarms, intake, the bookings queue and the worker, dispatch, reports. */
export class UsherDashboard extends Construct {
  constructor(scope: Construct, id: string, { flow, alarms }: { flow: Flow; alarms: Alarms }) {
    super(scope, id);
    const { http, intake, queues, worker, dispatch, pacer, bus, reports, settings } = flow;
    const own = usherMetrics(settings.metricsNamespace);
    const { bookings, quarantine } = queues;
    const dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: settings.dashboardName,
      defaultInterval: Duration.hours(3),
    });
    dashboard.addWidgets(
      new TextWidget({
        markdown: '# Usher\nEach alarm has a heading in `docs/runbook.md`.',
        width: fullWidth,
        height: 2,
      }),
    );
    dashboard.addWidgets(new AlarmStatusWidget({ alarms: [...alarms.all], width: fullWidth, height: 4 }));
    dashboard.addWidgets(
      graph('Requests', [http.api.metricCount(), http.api.metricClientError(), http.api.metricServerError()]),
      graph('Accepted', [own.bookingsAccepted, own.reservationsAccepted, own.submissionsLimited]),
      graph('Intake', functionMetrics(intake.service.function), [durationOf(intake.service.function)]),
    );
    dashboard.addWidgets(
      graph('Chunks waiting', [waiting(bookings.queue)], [age(bookings.queue)]),
      graph('Decisions', [own.granted, own.rejected, own.replayed], [own.settleLatency]),
      graph('Worker', functionMetrics(worker.service.function), [durationOf(worker.service.function)]),
    );
    dashboard.addWidgets(
      graph('Handed on', [own.dispatched, own.paced, waiting(dispatch.dispatch.queue), waiting(dispatch.pacing.queue)]),
      graph('Refused by AWS', [own.eventFailures, own.queueFailures, own.sendFailures, own.contentionRetries]),
      graph('Pacer', functionMetrics(pacer.service.function), [durationOf(pacer.service.function)]),
    );
    dashboard.addWidgets(
      graph('Events kept for reports', [own.factsStored, own.lateFacts], [age(reports.events.queue)]),
      graph('Reports', [own.reports, own.closeFailures], [durationOf(reports.closer.function)]),
      graph('Reporter', functionMetrics(reports.reporter.function), [durationOf(reports.reporter.function)]),
    );
    const aside = [
      bookings.deadLetters,
      quarantine,
      dispatch.dispatch.deadLetters,
      dispatch.pacing.deadLetters,
      bus.events.deadLetters,
      reports.events.deadLetters,
    ];
    dashboard.addWidgets(graph('Put aside, for an operator', aside.map(waiting), [], fullWidth));
  }
}

function graph(title: string, left: IMetric[], right: IMetric[] = [], width = fullWidth / 3): GraphWidget {
  return new GraphWidget({ title, left, right, width, leftYAxis: { min: 0 }, period });
}

function functionMetrics(fn: LambdaFunction): IMetric[] {
  return [fn.metricInvocations(), fn.metricErrors(), fn.metricThrottles()];
}

function durationOf(fn: LambdaFunction): IMetric {
  return fn.metricDuration({ statistic: 'p99' });
}

function waiting(queue: Queue): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ label: queue.node.id });
}

function age(queue: Queue): IMetric {
  return queue.metricApproximateAgeOfOldestMessage({ label: 'oldest, seconds' });
}
