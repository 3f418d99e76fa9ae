import { Annotations, App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { readDeployment } from './config.ts';
import { issuerWarning } from './issuer.ts';
import { UsherStack } from './usher-stack.ts';

/**
 * The whole app: one stack, for the stage that the context names. It needs neither network nor credentials, and
 * synthesis fails where a rule of cdk-nag's AwsSolutions is broken and not acknowledged.
 *
 * @param context settings beside those that the CDK CLI hands over; for tests
 */
export function createApp(context: Readonly<Record<string, unknown>> = {}): { app: App; stack: UsherStack } {
  const app = new App({ analyticsReporting: false, context: { ...context } });
  const deployment = readDeployment(app.node.getAllContext());
  const stack = new UsherStack(app, `usher-${deployment.stage}`, { deployment });
  const warning = issuerWarning(deployment.jwtIssuer);
  if (warning !== undefined) Annotations.of(stack).addWarningV2('usher:jwtIssuer', warning);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { app, stack };
}
