import { devNull } from 'node:os';
import { ignoreProxies } from './packages/loopback/src/ignore-proxies.ts';

/**
 * The developer's AWS settings and proxies are no part of any test. Clients of loopback endpoints do not look at them
 * anyway; this keeps them from the services' own clients, and from child processes.
 */
for (const name of Object.keys(process.env)) {
  if (/^AWS_|^(https?|all|no)_proxy$|^NODE_USE_ENV_PROXY$/i.test(name)) delete process.env[name];
}
process.env.AWS_CONFIG_FILE = devNull;
process.env.AWS_SHARED_CREDENTIALS_FILE = devNull;
ignoreProxies();
