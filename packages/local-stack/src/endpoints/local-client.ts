import { REGION } from './arn.ts';

/** What an AWS SDK client needs to talk to an endpoint of the embedded stack. */
export interface LocalClientConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** The client configuration for an endpoint's URL. The endpoints check no signature; the SDK insists on having keys. */
export function localClientConfig(endpoint: string): LocalClientConfig {
  return { endpoint, region: REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
}
