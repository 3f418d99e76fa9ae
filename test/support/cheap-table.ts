import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { localClientConfig } from '@usher/loopback';

/** An item or message that was written. */
export interface Written {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Clients whose calls are answered in the process, above marshalling: a request costs microseconds. */
export interface CheapClients {
  readonly dynamoDb: DynamoDBDocumentClient;
  readonly sqs: SQSClient;
  /** Every write of an item and every message sent, in order. */
  readonly written: Written[];
  /** Forgets all items and what was written. */
  clear(): void;
}

type Fields = Record<string, unknown>;

interface AnyCommand {
  readonly input: Fields;
}

/** `PutItemCommand`, of the document client's PutCommand as well. */
function nameOf(command: AnyCommand): string {
  const { name } = command.constructor;
  return /^(Get|Put|Update|BatchGet)Command$/.test(name) ? name.replace('Command', 'ItemCommand') : name;
}

const nothing = { $metadata: {} };

/**
 * A table just true enough for intake's calls: headers are put once and updated by their nonce, buckets are always full,
 * accounts and ledger are empty. A queue that takes everything.
 */
export function cheapClients(): CheapClients {
  const settings = localClientConfig('http://127.0.0.1:1');
  const dynamoDb = DynamoDBDocumentClient.from(new DynamoDBClient(settings));
  const sqs = new SQSClient({ ...settings, md5: false });
  const items = new Map<string, Fields>();
  const written: Written[] = [];
  // In place of the clients' middleware, which would cost more than all that is tested.
  Object.assign(dynamoDb, {
    send: async (command: AnyCommand) => ({
      ...answer(nameOf(command), command.input, { items, written }),
      ...nothing,
    }),
  });
  Object.assign(sqs, {
    send: async (command: AnyCommand) => {
      const { Entries } = command.input;
      written.push({ command: nameOf(command), input: { ...command.input } });
      const entries: { Id: string }[] = Array.isArray(Entries) ? Entries : [];
      return { Successful: entries.map(({ Id }) => ({ Id, MessageId: Id, MD5OfMessageBody: '' })), ...nothing };
    },
  });
  const clear = (): void => {
    items.clear();
    written.length = 0;
  };
  return { dynamoDb, sqs, written, clear };
}

function answer(
  command: string,
  input: Fields,
  { items, written }: { items: Map<string, Fields>; written: Written[] },
): Fields {
  switch (command) {
    case 'GetItemCommand':
      return { Item: items.get(idOf(input.Key)) };
    case 'PutItemCommand': {
      const id = idOf(input.Item);
      if (items.has(id)) throw conditionFailed();
      items.set(id, fieldsOf(input.Item));
      written.push({ command, input });
      return {};
    }
    case 'UpdateItemCommand': {
      const values = fieldsOf(input.ExpressionAttributeValues);
      const id = idOf(input.Key);
      const item = items.get(id);
      written.push({ command, input });
      if (item === undefined) return { Attributes: { tat: values[':tat'] } };
      if (item.nonce !== values[':seen'] || item.state !== 'accepting') throw conditionFailed();
      items.set(id, { ...item, state: values[':accepted'] ?? item.state, leaseUntilMs: 0 });
      return {};
    }
    case 'BatchGetItemCommand':
      return { Responses: {} };
    case 'QueryCommand':
      return { Items: [], Count: 0 };
    default:
      throw new Error(`The cheap table does not know ${command}`);
  }
}

function conditionFailed(): Error {
  return new ConditionalCheckFailedException({ message: 'The conditional request failed', $metadata: {} });
}

function idOf(key: unknown): string {
  const { pk, sk } = fieldsOf(key);
  return `${pk} ${sk}`;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
