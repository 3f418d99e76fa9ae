import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { bundle, type Service } from './bundle.ts';
import type { StageSettings } from './stage-settings.ts';

export interface ServiceFunctionProps {
  readonly settings: StageSettings;
  readonly service: Service;
  /** The export of the service's `handler.ts`. */
  readonly handler: string;
  readonly description: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  /** Concurrent executions that are kept for this function, and its cap; none and no cap if undefined. */
  readonly reservedConcurrency: number | undefined;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * A Lambda with its log group and a role that may write to that group and nothing else. Every other permission is
 * granted where its resource is, statement by statement.
 */
export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;
  readonly role: Role;
  readonly timeoutSeconds: number;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { settings, service, handler, description, timeoutSeconds, memoryMb, environment, reservedConcurrency } =
      props;
    this.timeoutSeconds = timeoutSeconds;
    const logGroup = createLogGroup(this, 'Logs', settings);
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `Usher ${settings.stage}: ${description}`,
    });
    logGroup.grantWrite(this.role);
    this.function = new LambdaFunction(this, 'Function', {
      description: `Usher ${settings.stage}: ${description}`,
      code: Code.fromAsset(bundle(service).directory),
      handler: `index.${handler}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: Duration.seconds(timeoutSeconds),
      memorySize: memoryMb,
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
      role: this.role,
      logGroup,
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        // Two stages of one account keep their figures apart by the namespace.
        POWERTOOLS_METRICS_NAMESPACE: settings.metricsNamespace,
        ...environment,
      },
    });
  }

  /** Makes the function work a queue off. It reports single failures, so that nothing else of a batch comes again. */
  workOff(queue: IQueue, { batchSize, maxConcurrency }: { batchSize: number; maxConcurrency: number }): void {
    this.function.addEventSource(
      new SqsEventSource(queue, { batchSize, maxConcurrency, reportBatchItemFailures: true }),
    );
  }

  /** Adds one statement to the role. */
  allow(statement: PolicyStatement): void {
    this.role.addToPolicy(statement);
  }
}

/** A log group that forgets in time. */
export function createLogGroup(
  scope: Construct,
  id: string,
  { logRetention, removalPolicy }: { logRetention: StageSettings['logRetention']; removalPolicy: RemovalPolicy },
): LogGroup {
  return new LogGroup(scope, id, { retention: logRetention, removalPolicy });
}
