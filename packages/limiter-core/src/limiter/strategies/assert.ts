import { InvalidArgumentError } from '../../errors.ts';

/** @throws InvalidArgumentError, naming the field, for anything but a whole number ≥ 1 that a double holds exactly */
export function assertWhole(field: string, value: unknown): void {
  if (!Number.isSafeInteger(value) || (value as number) < 1) {
    throw new InvalidArgumentError(`${field} must be a whole number ≥ 1 (was ${String(value)})`);
  }
}

/** @throws InvalidArgumentError, naming the field, for anything but one of the values */
export function assertOneOf(field: string, value: unknown, values: readonly unknown[]): void {
  if (values.includes(value)) return;
  throw new InvalidArgumentError(`${field} must be one of ${values.join(', ')} (was ${String(value)})`);
}

/** @throws InvalidArgumentError, naming the field, for anything but a number > 0 and ≤ `max` */
export function assertPositive(field: string, value: unknown, max: number): void {
  if (!(typeof value === 'number' && value > 0 && value <= max)) {
    throw new InvalidArgumentError(`${field} must be a number > 0 and ≤ ${max} (was ${String(value)})`);
  }
}
