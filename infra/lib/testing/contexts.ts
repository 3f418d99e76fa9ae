export const stageNames = ['dev', 'prod'] as const;
export type StageName = (typeof stageNames)[number];

/** The one operator of the stages under test. */
export const operatorArn = 'arn:aws:iam::123456789012:role/operators';

/** A context with which a stage can be synthesised, and more for whoever needs more. */
export function contextOf(stage: StageName, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    stage,
    jwtIssuer: 'https://issuer.example.com/',
    jwtAudience: 'usher',
    accountClaim: 'partner_id',
    defaultPolicy: '{"dailyLimit":500}',
    submissionBurst: '300',
    submissionRefill: '30',
    authorizationScopes: 'bookings',
    operatorArns: operatorArn,
    alarmEmail: 'operators@example.com',
    '@aws-cdk/aws-iam:minimizePolicies': true,
    ...more,
  };
}
