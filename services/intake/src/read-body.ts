import {
  allFieldErrors,
  type BookingRequest,
  bodyMaxBytes,
  jsonFault,
  jsonMaxDepth,
  parseJson,
  readBookingRequest,
} from '@usher/contracts';
import { type Refusal, refusal } from './refusal.ts';

/** The bytes of a body. */
export interface Body {
  readonly kind: 'body';
  readonly bytes: Uint8Array;
}

/** Reads a body whole, if it is declared as JSON and is not too large. */
export async function readBody(request: Request): Promise<Body | Refusal> {
  if (!isJson(request.headers)) {
    return refusal('unsupported-media-type', 'Send Content-Type: application/json once, in UTF-8 and uncompressed.', {
      headers: { Accept: 'application/json', 'Accept-Encoding': 'identity' },
    });
  }
  // A declared length saves reading a body that is too large. It is trusted no further.
  if (Number(request.headers.get('content-length')) > bodyMaxBytes) return tooLarge();
  try {
    const bytes = await bytesOf(request.body?.getReader());
    return bytes === undefined ? tooLarge() : { kind: 'body', bytes };
  } catch {
    // The sender cut the body off, or it was badly encoded on the way. That is no error of ours.
    return refusal('malformed-request', 'The body ended early or cannot be decoded.');
  }
}

/** All bytes of a body; undefined where it is too large. */
async function bytesOf(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    size += read.value.byteLength;
    if (size > bodyMaxBytes) {
      await reader?.cancel();
      return undefined;
    }
    chunks.push(read.value);
  }
  return Buffer.concat(chunks, size);
}

/** The booking that a body asks for, or all of its faults. */
export function readBooking({ bytes }: Body): { readonly kind: 'read'; readonly value: BookingRequest } | Refusal {
  const text = decodeUtf8(bytes);
  if (text === null) return refusal('malformed-json', 'The body must be JSON in UTF-8; these bytes are not UTF-8.');
  const parsed = parseJson(text);
  if (parsed.kind === 'syntax') {
    return refusal('malformed-json', `The body must be a JSON text (RFC 8259); ${jsonFault(parsed)}.`);
  }
  if (parsed.kind === 'too_deep') {
    const errors = [{ pointer: '', detail: `must be nested at most ${jsonMaxDepth} levels deep` }];
    return refusal('invalid-body', 'The body is nested too deeply.', { fields: { errors, errorCount: 1 } });
  }
  const read = readBookingRequest(parsed.value);
  if (parsed.kind === 'value' && read.kind === 'read') return read;
  const fields = [
    ...(parsed.kind === 'repeated_names' ? [parsed] : []),
    ...(read.kind === 'invalid' ? [read.fields] : []),
  ];
  return refusal('invalid-body', 'The body has invalid fields.', { fields: fields.reduce(allFieldErrors) });
}

function isJson(headers: Headers): boolean {
  const contentType = headers.get('content-type') ?? '';
  const [mediaType, ...parameters] = contentType.split(';').map((part) => part.trim());
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  return (
    mediaType?.toLowerCase() === 'application/json' &&
    // A header sent twice arrives as one value with a comma between. Neither of the two counts.
    !contentType.includes(',') &&
    parameters.every((parameter) => !/^charset\s*=/i.test(parameter) || /^charset="?utf-?8"?$/i.test(parameter)) &&
    encoding === 'identity'
  );
}

function tooLarge(): Refusal {
  return refusal('body-too-large', `The body may have at most ${bodyMaxBytes} bytes; split the booking.`);
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
