/** The deployment is not as it should be; the message tells what, and what to look at. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError';
}
