import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Deployment } from './config.ts';

/** The settings that follow from the stage alone. */
export interface StageSettings {
  readonly stage: Deployment['stage'];
  /** True where data survives the stack, and resources refuse to be deleted. */
  readonly isProtected: boolean;
  readonly removalPolicy: RemovalPolicy;
  readonly logRetention: RetentionDays;
  /** The CloudWatch namespace of the services' own metrics. */
  readonly metricsNamespace: string;
  readonly dashboardName: string;
}

/** The settings of a stage. Only development's data may be thrown away. */
export function settingsOf(stage: Deployment['stage']): StageSettings {
  const isProtected = stage !== 'dev';
  return {
    stage,
    isProtected,
    removalPolicy: isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    logRetention: isProtected ? RetentionDays.THREE_MONTHS : RetentionDays.ONE_WEEK,
    metricsNamespace: `Usher/${stage}`,
    dashboardName: `usher-${stage}`,
  };
}
