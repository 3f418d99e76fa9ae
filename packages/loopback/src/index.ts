export { type LocalClientConfig, localClientConfig, localRegion } from './client-config.ts';
export { createTable, type TableKeys, TableNotActiveError } from './create-table.ts';
export { ignoreProxies } from './ignore-proxies.ts';
