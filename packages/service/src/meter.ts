/** The place where a service counts, by the names of its metrics. Nothing counted can change an answer. */
export interface Meter<Metric extends string = string> {
  /** Adds to a number of things. */
  count(metric: Metric, value: number): void;
  /** Adds one duration, in milliseconds. */
  time(metric: Metric, durationMs: number): void;
}

/** The part of Powertools' Metrics that a meter needs. */
interface PowertoolsMetrics {
  addMetric(name: string, unit: 'Count' | 'Milliseconds', value: number): void;
}

/** A meter of the embedded metric format; whoever owns the metrics publishes them. */
export function powertoolsMeter(metrics: PowertoolsMetrics): Meter {
  return {
    count: (metric, value) => metrics.addMetric(metric, 'Count', value),
    time: (metric, durationMs) => metrics.addMetric(metric, 'Milliseconds', durationMs),
  };
}

/** The meter of a service whose numbers nobody reads. */
export const silentMeter: Meter = { count: () => undefined, time: () => undefined };
