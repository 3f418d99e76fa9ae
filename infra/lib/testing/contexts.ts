export const stageNames = ['dev', 'prod'] as const;
export type StageName = (typeof stageNames)[number];

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
    alarmEmail: 'operators@example.com',
    '@aws-cdk/aws-iam:minimizePolicies': true,
    ...more,
  };
}
