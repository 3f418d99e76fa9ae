export { type Clients, clientDefaults, createClients, longestCallMs } from './clients.ts';
export { readConfig, type WorkerConfig, type WorkerEnvironment } from './config.ts';
export { createWorker, type Worker } from './create-worker.ts';
export { type WorkerMetric, workerMetrics } from './metrics.ts';
export type { Deadline, WorkerPorts } from './ports.ts';
