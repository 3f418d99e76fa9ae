export { settleBatch } from './batch.ts';
export { type Clients, clientDefaults, createClients, longestCallMs } from './clients.ts';
export { readConfig, type WorkerConfig } from './config.ts';
export type { Deadline, WorkerDependencies } from './dependencies.ts';
export { workerMetrics } from './metrics.ts';
export { paceBatch } from './pace.ts';
