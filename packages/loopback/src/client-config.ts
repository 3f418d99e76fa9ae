/** The region that every client of a loopback endpoint names, and every ARN of the embedded stack. */
export const localRegion = 'eu-central-1';

/** The time-out of a call: above a long poll's 20 s, and long enough for a busy machine. */
const patienceMs = 60_000;

/** All that an AWS SDK client would otherwise look up outside its own process. */
export interface LocalClientConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly maxAttempts: number;
  readonly retryMode: 'standard';
  readonly defaultsMode: 'legacy';
  readonly requestHandler: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly socketTimeout: number;
    readonly throwOnRequestTimeout: boolean;
  };
  readonly useFipsEndpoint: boolean;
  readonly useDualstackEndpoint: boolean;
  readonly accountIdEndpointMode: 'disabled';
  readonly endpointDiscoveryEnabled: boolean;
  readonly disableClockSkewCorrection: boolean;
  readonly authSchemePreference: string[];
  readonly sigv4aSigningRegionSet: string[];
  readonly userAgentAppId: string;
}

/**
 * The configuration of a client that talks to a loopback endpoint and to nothing else. The SDK asks AWS_* variables and
 * the files in ~/.aws for whatever a client is not told, and reads them in real time at its first call: a developer's
 * FIPS setting would end a demo, and the time of reading would change a simulated run. So everything is told here. The
 * endpoints check no signature; the SDK insists on having keys. Its time-outs are there to end what hangs,
 * not what is slow.
 *
 * A new version of the SDK may look up more: the test beside this file sees it.
 */
export function localClientConfig(endpoint: string): LocalClientConfig {
  return {
    endpoint,
    region: localRegion,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 3,
    retryMode: 'standard',
    defaultsMode: 'legacy',
    requestHandler: {
      connectionTimeout: patienceMs,
      requestTimeout: patienceMs,
      socketTimeout: patienceMs,
      throwOnRequestTimeout: true,
    },
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    accountIdEndpointMode: 'disabled',
    endpointDiscoveryEnabled: false,
    disableClockSkewCorrection: true,
    authSchemePreference: ['sigv4'],
    sigv4aSigningRegionSet: [localRegion],
    userAgentAppId: '',
  };
}
