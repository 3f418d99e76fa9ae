import { Reservation } from '@usher/contracts';
import { type } from 'arktype';

/**
 * A cost as a spreadsheet writes it: digits, with nothing but one or two zeros after a decimal point or comma. Three
 * could be thousands, and anything else is a fraction or more than a number: none of them is guessed at.
 */
export const CostText = type(/^\d{1,15}(?:[.,]0{1,2})?$/)
  .describe(`${Reservation.get('cost').description}, in digits alone`)
  .pipe((text) => Number.parseInt(text, 10))
  .to(Reservation.get('cost'));
