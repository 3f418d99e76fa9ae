import type { TranslateConfig } from '@aws-sdk/lib-dynamodb';

/**
 * The reading of numbers by document clients. By default a number that no double keeps, such as `9007199254740993.5`,
 * fails the whole answer, for every account that was asked about. Here it comes out as its text, so that only its own
 * item cannot be read.
 */
export const documentTranslation: TranslateConfig = {
  unmarshallOptions: {
    wrapNumbers: (text: string): number | string => {
      const number = Number(text);
      return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
    },
  },
};
