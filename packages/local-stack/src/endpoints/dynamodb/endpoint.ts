import { type EndpointOptions, type RunningEndpoint, serveEndpoint } from '../endpoint-server.ts';
import { openDynalite } from './dynalite.ts';

/** Above DynamoDB's own largest request, a BatchWriteItem of 16 MB. */
const maxBodyBytes = 17 * 1024 * 1024;

/**
 * Serves DynamoDB by dynalite, on LevelDB under `path` or in memory. A request reaches dynalite only when it is complete
 * and a JSON object: dynalite throws at others, and where its disk is full.
 */
export async function serveDynamoDb(
  options: EndpointOptions & { readonly path?: string | undefined; readonly onError: (error: unknown) => void },
): Promise<RunningEndpoint> {
  const tables = openDynalite(options.path);
  const endpoint = await serveEndpoint(
    {
      name: 'dynamodb',
      targetPrefix: 'DynamoDB_20120810',
      maxBodyBytes,
      answer: ({ headers, body }) => tables.call(headers, body),
      toReply: ({ status, type, message }) => ({
        status,
        headers: { 'Content-Type': 'application/x-amz-json-1.0' },
        body: JSON.stringify({ __type: type, message }),
      }),
      onError: options.onError,
    },
    options,
  );
  return {
    url: endpoint.url,
    close: async () => {
      await endpoint.close();
      await tables.close();
    },
  };
}
