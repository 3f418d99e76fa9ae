export { type FakeAnswer, type FakeDynamoDb, type FakeTrip, fakeDynamoDb } from './fake-dynamodb.ts';
export { type Dynalite, startDynalite } from './start-dynalite.ts';
export { type Redis, RedisStartError, startRedis } from './start-redis.ts';
