import { describe, expect, test } from 'vitest';
import { InvalidContextError, readDeployment } from './config.ts';

const valid = { jwtIssuer: 'https://issuer.example.com/', jwtAudience: ['usher'] };

function read(context: Record<string, unknown>): ReturnType<typeof readDeployment> {
  return readDeployment((key) => context[key]);
}

describe('a deployment', () => {
  test('is of stage dev and of the account claim sub where nothing else is said', () => {
    expect(read({ stages: { dev: valid } })).toEqual({
      ...valid,
      stage: 'dev',
      accountClaim: 'sub',
      defaultPolicy: {},
    });
  });

  test('takes the settings of its own stage', () => {
    const stages = { dev: valid, prod: { ...valid, jwtAudience: ['usher-prod'], accountClaim: 'partner_id' } };
    expect(read({ stage: 'prod', stages })).toMatchObject({ jwtAudience: ['usher-prod'], accountClaim: 'partner_id' });
  });

  test('takes what the command line says before what the file says', () => {
    const context = { stages: { dev: valid }, jwtAudience: 'a, b', defaultPolicy: '{"burst":50}' };
    expect(read(context)).toMatchObject({ jwtAudience: ['a', 'b'], defaultPolicy: { burst: 50 } });
  });

  test('may change what the submission limiter lets through', () => {
    const context = { ...valid, submissionBurst: '50', submissionRefill: 2.5 };
    expect(read(context)).toMatchObject({ submissionBurst: 50, submissionRefill: 2.5 });
  });

  test('in development may trust an issuer on the same machine', () => {
    expect(read({ ...valid, jwtIssuer: 'http://127.0.0.1:8080' })).toMatchObject({
      jwtIssuer: 'http://127.0.0.1:8080',
    });
  });
});

describe('a wrong context is refused by the name of its key', () => {
  test.each<[string, Record<string, unknown>]>([
    ['stage', { stage: 'staging' }],
    ['stages', { stages: { production: valid } }],
    ['jwtIssuer', { stage: 'prod', stages: { dev: valid }, jwtAudience: 'usher' }],
    ['jwtIssuer', { ...valid, jwtIssuer: 'issuer.example.com' }],
    ['jwtIssuer', { ...valid, jwtIssuer: 'http://issuer.example.com' }],
    ['jwtIssuer', { ...valid, stage: 'prod', jwtIssuer: 'http://127.0.0.1:8080' }],
    ['jwtAudience', { ...valid, jwtAudience: [] }],
    ['jwtAudience', { ...valid, jwtAudience: 'a,,b' }],
    ['accountClaim', { ...valid, accountClaim: '' }],
    ['alarmEmail', { ...valid, alarmEmail: 'nobody' }],
    ['submissionBurst', { ...valid, submissionBurst: '0' }],
    ['submissionRefill', { ...valid, submissionRefill: 'fast' }],
    ['defaultPolicy', { ...valid, defaultPolicy: '{' }],
    ['defaultPolicy', { ...valid, defaultPolicy: '{"dailyLimit":-1}' }],
    ['defaultPolicy', { ...valid, defaultPolicy: '{"dailyLimit":100000000}' }],
    ['defaultPolicy', { ...valid, defaultPolicy: '[]' }],
    ['jwtIsuer', { stages: { dev: { ...valid, jwtIsuer: 'x' } } }],
  ])('%s in %j', (key, context) => {
    expect(() => read(context)).toThrow(InvalidContextError);
    expect(() => read(context)).toThrow(key);
  });
});
