import { type } from 'arktype';
import type { DeployedResources } from './aws-deployment.ts';
import { DeploymentError } from './errors.ts';
import { expectedVariables, functionOutputs, queueOutputs, StackOutputs } from './outputs.ts';

/**
 * Checks that everything the stack names exists, and that the functions were told these very names. A name that is
 * wrong there would not stop a function: it would accept bookings that nobody settles, or settle without events.
 *
 * @throws DeploymentError
 */
export async function checkResources(resources: DeployedResources, stackName: string): Promise<StackOutputs> {
  const outputs = await readOutputs(resources, stackName);
  for (const name of [outputs.TableName, outputs.ReportTableName]) {
    await exists('The table', name, () => resources.describeTable(name));
  }
  await exists('The bucket', outputs.ReportBucketName, () => resources.describeBucket(outputs.ReportBucketName));
  await exists('The event bus', outputs.EventBusName, () => resources.describeBus(outputs.EventBusName));
  for (const name of queueOutputs) {
    await exists(`The queue of ${name}`, outputs[name], () => resources.describeQueue(outputs[name]));
  }
  await checkVariables(resources, outputs);
  return outputs;
}

async function readOutputs(resources: DeployedResources, stackName: string): Promise<StackOutputs> {
  const found = await exists('The stack', stackName, () => resources.outputsOf(stackName));
  const outputs = StackOutputs(found);
  if (outputs instanceof type.errors) {
    throw new DeploymentError(`The outputs of stack ${stackName} are not Usher's: ${outputs.summary}`);
  }
  return outputs;
}

async function checkVariables(resources: DeployedResources, outputs: StackOutputs): Promise<void> {
  for (const functionOutput of functionOutputs) {
    const functionName = outputs[functionOutput];
    const told = await exists('The function', functionName, () => resources.environmentOf(functionName));
    for (const [variable, output] of Object.entries(expectedVariables[functionOutput])) {
      const named: readonly (keyof StackOutputs)[] = [output].flat();
      const expected = named.map((name) => outputs[name]).join();
      if (told[variable] !== expected) {
        throw new DeploymentError(
          `${functionName} has ${variable}=${told[variable] ?? '(unset)'}, but the stack's ${named.join()} is ` +
            `${expected}. Deploy the stack again.`,
        );
      }
    }
  }
}

async function exists<T>(what: string, name: string, describe: () => Promise<T>): Promise<T> {
  try {
    return await describe();
  } catch (error) {
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new DeploymentError(`${what} ${name} cannot be found: ${why}`, { cause: error });
  }
}
