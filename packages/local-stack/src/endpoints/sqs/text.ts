import { createHash } from 'node:crypto';

/** Anything but #x9 | #xA | #xD | #x20–#xD7FF | #xE000–#xFFFD | #x10000–#x10FFFF (SendMessage, SQS API Reference). */
const forbiddenCharacter = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

export const holdsForbiddenCharacter = (text: string): boolean => forbiddenCharacter.test(text);

export const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');

export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
