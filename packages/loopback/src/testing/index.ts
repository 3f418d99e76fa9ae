export { type Dynalite, startDynalite } from './start-dynalite.ts';
export { type Redis, startRedis } from './start-redis.ts';
