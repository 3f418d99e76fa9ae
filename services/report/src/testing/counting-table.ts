import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentTranslation } from '@usher/limiter-core/bulk/dynamodb';
import { localClientConfig } from '@usher/loopback';
import { type } from 'arktype';

const unitBytes = 1024;

/** The sums of what a table was given: calls, items, their write units and their bytes as DynamoDB counts them. */
export interface Counts {
  calls: number;
  items: number;
  units: number;
  bytes: number;
}

const Value = type({ S: 'string' }).or({ N: 'string' });
const Puts = type('string.json.parse').to({
  RequestItems: { '[string]': type({ PutRequest: { Item: { '[string]': Value } } }).array() },
});

/** A table that takes every batch of puts and keeps none of them, behind a real client of the SDK. */
export function countingTable(): { readonly client: DynamoDBDocumentClient; readonly counts: Counts } {
  const counts: Counts = { calls: 0, items: 0, units: 0, bytes: 0 };
  const handle = async ({ body }: { readonly body?: unknown }) => {
    const { RequestItems } = Puts.assert(body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body));
    counts.calls++;
    for (const { PutRequest } of Object.values(RequestItems).flat()) {
      const bytes = itemBytes(PutRequest.Item);
      counts.items++;
      counts.bytes += bytes;
      counts.units += Math.ceil(bytes / unitBytes);
    }
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    return { response: { statusCode: 200, headers, body: Buffer.from('{"UnprocessedItems":{}}') } };
  };
  const base = new DynamoDBClient({ ...localClientConfig('http://127.0.0.1:1'), requestHandler: { handle } });
  return { client: DynamoDBDocumentClient.from(base, documentTranslation), counts };
}

/** An item's size (developer guide, "Item sizes and formats"). Of numbers an upper bound. */
function itemBytes(item: Readonly<Record<string, typeof Value.infer>>): number {
  return Object.entries(item).reduce((sum, [name, value]) => {
    const bytes = 'S' in value ? Buffer.byteLength(value.S) : Math.ceil(value.N.length / 2) + 1;
    return sum + Buffer.byteLength(name) + bytes;
  }, 0);
}
