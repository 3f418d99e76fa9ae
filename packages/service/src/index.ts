export { DefaultPolicy, InvalidConfigError, readEnvironment } from './environment.ts';
export { errorFields, type Log, type LogFields, type LoggedError } from './log.ts';
export { type Meter, powertoolsMeter, silentMeter } from './meter.ts';
