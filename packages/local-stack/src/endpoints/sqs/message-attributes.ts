import { createHash } from 'node:crypto';
import { type } from 'arktype';
import { invalidParameter, sqsError } from './errors.ts';
import { holdsForbiddenCharacter } from './text.ts';

/** A message attribute as in the JSON protocol; `BinaryValue` is base64. */
export const MessageAttributes = type({
  '[string]': { DataType: 'string', 'StringValue?': 'string', 'BinaryValue?': 'string.base64' },
});
export type MessageAttributes = typeof MessageAttributes.infer;
type MessageAttribute = MessageAttributes[string];

const namePattern = /^(?!aws\.|amazon\.)[A-Za-z0-9_-]([A-Za-z0-9_.-]{0,254}[A-Za-z0-9_-])?$/i;
const dataTypePattern = /^(String|Number|Binary)(\.[\x21-\x7e]{1,249})?$/;

const valueBytes = (attribute: MessageAttribute): Buffer =>
  isBinary(attribute)
    ? Buffer.from(attribute.BinaryValue ?? '', 'base64')
    : Buffer.from(attribute.StringValue ?? '', 'utf8');

const isBinary = (attribute: MessageAttribute): boolean => attribute.DataType.startsWith('Binary');

export function checkMessageAttributes(attributes: MessageAttributes): void {
  const entries = Object.entries(attributes);
  if (entries.length > 10) {
    throw invalidParameter('MessageAttributes', entries.length, 'A message has at most 10 attributes.');
  }
  for (const [name, attribute] of entries) {
    if (!namePattern.test(name)) throw invalidParameter('MessageAttributeName', name, 'Not a legal attribute name.');
    if (!dataTypePattern.test(attribute.DataType)) {
      throw invalidParameter(`MessageAttributes.${name}.DataType`, attribute.DataType, 'Not a known type.');
    }
    if (valueBytes(attribute).length === 0) {
      throw invalidParameter(`MessageAttributes.${name}`, '', 'The value must not be empty.');
    }
    if (holdsForbiddenCharacter(attribute.StringValue ?? '')) {
      throw sqsError('InvalidMessageContents', `The attribute ${name} holds a character SQS does not allow.`);
    }
  }
}

/** The bytes that attributes add to a message's size: names, types and values. */
export function attributeBytes(attributes: MessageAttributes): number {
  let bytes = 0;
  for (const [name, attribute] of Object.entries(attributes)) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(attribute.DataType) + valueBytes(attribute).length;
  }
  return bytes;
}

/**
 * MD5 over the attributes in name order, each part with its length in front.
 * Source: "Calculating the MD5 message digest for message attributes" in the SQS Developer Guide.
 */
export function attributesMd5(attributes: MessageAttributes): string {
  const hash = createHash('md5');
  const part = (bytes: Buffer): void => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  for (const [name, attribute] of Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1))) {
    part(Buffer.from(name));
    part(Buffer.from(attribute.DataType));
    hash.update(Buffer.from([isBinary(attribute) ? 2 : 1]));
    part(valueBytes(attribute));
  }
  return hash.digest('hex');
}

/** The attributes a receive asked for: by name, by `prefix.*`, or all of them (`All`, `.*`); undefined when none. */
export function selectAttributes(
  attributes: MessageAttributes,
  wanted: readonly string[],
): MessageAttributes | undefined {
  const matches = (name: string): boolean =>
    wanted.some(
      (w) => w === 'All' || w === '.*' || w === name || (w.endsWith('.*') && name.startsWith(w.slice(0, -1))),
    );
  const selected = Object.entries(attributes).filter(([name]) => matches(name));
  return selected.length > 0 ? Object.fromEntries(selected) : undefined;
}
