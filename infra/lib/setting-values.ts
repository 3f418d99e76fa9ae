import { parseJson } from '@usher/contracts';
import { type } from 'arktype';

// `cdk deploy -c key=value` hands over strings, cdk.json holds JSON. What a string could mean besides is refused.

/** Characters of URIs, without those that separate or enclose the items of a list. */
const word = /^[\w.~:/?#@!$&*+=%()-]+$/;
const Word = type('string').narrow(
  (text, ctx) => word.test(text) || ctx.mustBe('one word without quotes, , ; or []{}'),
);

/** IAM roles and users by ARN; `*` stands for a part of a name, never for all of one. */
const principal = /^arn:aws[a-z-]*:iam::\d{12}:(role|user)\/(?=.*\w{3})[\w+=.@/*-]+$/;
const Principal = type('string').narrow(
  (text, ctx) =>
    principal.test(text) || ctx.mustBe('the ARN of an IAM role or user, with at least three letters of its name'),
);

const isDistinct = (items: readonly unknown[]): boolean => new Set(items).size === items.length;

const listText = type('string').pipe((text, ctx) => {
  if (!text.trimStart().startsWith('[')) return text.split(',').map((item) => item.trim());
  const parsed = parseJson(text);
  return parsed.kind === 'value' ? parsed.value : ctx.error('a JSON list, or words with commas between them');
});
const list = listText.or('unknown[]');
const distinct = 'a list of different items';

/** Words: a JSON list, or text with commas. */
export const words = list
  .to(Word.array().atLeastLength(1))
  .narrow((items, ctx) => isDistinct(items) || ctx.mustBe(distinct));

/** IAM principals: a JSON list, or text with commas. */
export const principals = list
  .to(Principal.array().atLeastLength(1))
  .narrow((items, ctx) => isDistinct(items) || ctx.mustBe(distinct));

/** A JSON object, or the text of one in which no name stands twice. */
export const jsonObject = type('string')
  .pipe((text, ctx) => {
    const parsed = parseJson(text);
    return parsed.kind === 'value' ? parsed.value : ctx.error('JSON in which no name stands twice');
  })
  .or('object')
  .to('object');

/** A number in plain decimals: neither `1e3` nor `0x10`, and no space around it. */
export const decimal = type('string')
  .pipe((text, ctx) =>
    /^(0|[1-9]\d{0,8})(\.\d{1,6})?$/.test(text) ? Number(text) : ctx.error('a plain decimal number'),
  )
  .or('number');

/** `true` or `false`, nothing that is taken for one. */
export const flag = type("'true' | 'false'")
  .pipe((text) => text === 'true')
  .or('boolean');

/** The name of a claim. It stands in the access log's format, where quotes and blanks would change its meaning. */
export const claimName = type('string').narrow(
  (text, ctx) => /^[\w.:/-]+$/.test(text) || ctx.mustBe('the name of a claim, without spaces or quotes'),
);

/** An https URL to which a heading is added as fragment. */
export const pageUrl = type('string').narrow((text, ctx) => {
  const url = URL.parse(text);
  const isPage = url?.protocol === 'https:' && url.href === text && !text.includes('#');
  return isPage || ctx.mustBe('an https URL without spaces and without #');
});
