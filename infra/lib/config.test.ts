import { describe, expect, test } from 'vitest';
import { InvalidContextError, readDeployment } from './config.ts';

const valid = { jwtIssuer: 'https://issuer.example.com/', jwtAudience: ['usher'] };

function read(context: Record<string, unknown>): ReturnType<typeof readDeployment> {
  return readDeployment(context);
}

describe('a deployment', () => {
  test('is of stage dev and of the account claim sub where nothing else is said', () => {
    expect(read({ stages: { dev: valid } })).toEqual({
      ...valid,
      stage: 'dev',
      accountClaim: 'sub',
      defaultPolicy: {},
      operatorArns: [],
      reserveConcurrency: true,
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

  test('takes lists as JSON or as words with commas', () => {
    const lists = { jwtAudience: '["a", "b"]', authorizationScopes: 'bookings/read, bookings/write' };
    expect(read({ ...valid, ...lists })).toMatchObject({
      jwtAudience: ['a', 'b'],
      authorizationScopes: ['bookings/read', 'bookings/write'],
    });
  });

  test('names operators by role, by user, or by the part of a name that stays', () => {
    const sso = 'arn:aws:iam::123456789012:role/aws-reserved/sso.amazonaws.com/*/AWSReservedSSO_Operators_*';
    const operatorArns = ['arn:aws:iam::123456789012:role/operators', 'arn:aws:iam::123456789012:user/ada', sso];
    expect(read({ ...valid, operatorArns: operatorArns.join(',') })).toMatchObject({ operatorArns });
  });

  test("leaves CDK's own keys alone", () => {
    const ofCdk = {
      '@aws-cdk/core:newStyleStackSynthesis': true,
      'aws:cdk:enable-path-metadata': true,
      'availability-zones:account=1:region=eu-central-1': ['a'],
      'cli-telemetry': false,
    };
    expect(read({ ...valid, ...ofCdk })).toMatchObject(valid);
  });

  test('says what a misspelt key most likely stands for', () => {
    expect(() => read({ ...valid, jwtAudiance: 'x' })).toThrow('jwtAudiance is no setting; did you mean jwtAudience?');
    expect(() => read({ ...valid, colour: 'x' })).toThrow('colour is no setting; known are stage, stages, ');
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
    ['jwtAudience', { ...valid, jwtAudience: 'a;b' }],
    ['jwtAudience', { ...valid, jwtAudience: 'a b' }],
    ['jwtAudience', { ...valid, jwtAudience: 'a,a' }],
    ['jwtAudience', { ...valid, jwtAudience: ['a,b'] }],
    ['jwtAudience', { ...valid, jwtAudience: '"usher"' }],
    ['jwtAudience', { ...valid, jwtAudience: '["a",2]' }],
    ['jwtAudience', { ...valid, jwtAudience: '["a"' }],
    ['authorizationScopes', { ...valid, authorizationScopes: 'read write' }],
    ['authorizationScopes', { ...valid, authorizationScopes: '' }],
    ['authorizationScopes', { ...valid, authorizationScopes: [] }],
    ['accountClaim', { ...valid, accountClaim: 'sub ' }],
    ['accountClaim', { ...valid, accountClaim: 'a","b":"$context.path' }],
    ['submissionBurst', { ...valid, submissionBurst: '1e3' }],
    ['submissionBurst', { ...valid, submissionBurst: ' 200 ' }],
    ['submissionBurst', { ...valid, submissionBurst: '0x10' }],
    ['submissionBurst', { ...valid, submissionBurst: '1_000' }],
    ['submissionBurst', { ...valid, submissionBurst: '010' }],
    ['submissionBurst', { ...valid, submissionBurst: '2.5' }],
    ['submissionBurst', { ...valid, submissionBurst: true }],
    ['submissionRefill', { ...valid, submissionRefill: '' }],
    ['reserveConcurrency', { ...valid, reserveConcurrency: 'no' }],
    ['reserveConcurrency', { ...valid, reserveConcurrency: 'False' }],
    ['reserveConcurrency', { ...valid, reserveConcurrency: 0 }],
    ['operatorArns', { ...valid, operatorArns: 'arn:aws:iam::123456789012:root' }],
    ['operatorArns', { ...valid, operatorArns: 'arn:aws:iam::123456789012:role/*' }],
    ['operatorArns', { ...valid, operatorArns: 'arn:aws:iam::*:role/operators' }],
    ['operatorArns', { ...valid, operatorArns: '*' }],
    ['alarmEmail', { ...valid, alarmEmail: ' a@example.com' }],
    ['alarmEmail', { ...valid, alarmEmail: 'a@example.com, b@example.com' }],
    ['runbookUrl', { ...valid, runbookUrl: 'docs/runbook.md' }],
    ['runbookUrl', { ...valid, runbookUrl: 'https://example.com/runbook#top' }],
    ['runbookUrl', { ...valid, runbookUrl: ' https://example.com/runbook' }],
    ['defaultPolicy', { ...valid, defaultPolicy: '"dailyLimit"' }],
    ['defaultPolicy', { ...valid, defaultPolicy: '{"dailyLimit":9007199254740993}' }],
    ['stage', { ...valid, stage: ' dev' }],
    ['stage', { ...valid, stage: true }],
    ['jwtAudiance', { ...valid, jwtAudiance: 'usher' }],
    ['runbookUlr', { ...valid, stages: { prod: { runbookUlr: 'https://example.com/' } } }],
    ['" jwtIssuer"', { ...valid, ' jwtIssuer': 'https://issuer.example.com/' }],
    ['jwtIsuer', { stages: { dev: { ...valid, jwtIsuer: 'x' } } }],
  ])('%s in %j', (key, context) => {
    expect(() => read(context)).toThrow(InvalidContextError);
    expect(() => read(context)).toThrow(key);
  });
});
