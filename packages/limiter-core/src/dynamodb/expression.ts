import type { AttributeValue, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';

/** The most operators and functions of one expression (Amazon DynamoDB Developer Guide, "Quotas"). */
export const maxOperators = 300;

/** The operators that {@link Expression.identify} adds. */
export const identifyOperators = 3;

/** One conditional update, as it is put together. */
export class Expression {
  readonly #names = new Map<string, string>();
  readonly #values = new Map<string, { readonly placeholder: string; readonly value: AttributeValue }>();
  readonly #sets: string[] = [];
  readonly #removed: string[] = [];
  readonly #conditions: string[] = [];

  /** The placeholder of an attribute. */
  name(attribute: string): string {
    const known = this.#names.get(attribute);
    if (known !== undefined) return known;
    const placeholder = `#n${this.#names.size}`;
    this.#names.set(attribute, placeholder);
    return placeholder;
  }

  /** The placeholder of a number. */
  number(value: number): string {
    return this.#value({ N: String(value) }, `N${value}`);
  }

  /** The placeholder of a string. */
  text(value: string): string {
    return this.#value({ S: value }, `S${value}`);
  }

  set(attribute: string, to: string): void {
    this.#sets.push(`${this.name(attribute)} = ${to}`);
  }

  remove(attribute: string): void {
    this.#removed.push(this.name(attribute));
  }

  /** Adds a condition: all of them must hold. */
  require(condition: string): void {
    this.#conditions.push(condition);
  }

  /** Gives the write an id, kept in an attribute: a write of that id is not done again. */
  identify(attribute: string, id: string): void {
    this.require(`NOT ${this.name(attribute)} = ${this.text(id)}`);
    this.set(attribute, this.text(id));
  }

  /** The attributes that are set. */
  get sets(): number {
    return this.#sets.length;
  }

  get changesNothing(): boolean {
    return this.#sets.length === 0 && this.#removed.length === 0;
  }

  get operators(): number {
    return operatorsIn(this.#conditions.join(' AND '));
  }

  input(): Omit<UpdateItemCommandInput, 'Key' | 'TableName'> {
    const clauses = [
      ...(this.#sets.length > 0 ? [`SET ${this.#sets.join(', ')}`] : []),
      ...(this.#removed.length > 0 ? [`REMOVE ${this.#removed.join(', ')}`] : []),
    ];
    return {
      UpdateExpression: clauses.join(' '),
      ...(this.#conditions.length > 0 && { ConditionExpression: this.#conditions.join(' AND ') }),
      ExpressionAttributeNames: Object.fromEntries([...this.#names].map(([name, placeholder]) => [placeholder, name])),
      ...(this.#values.size > 0 && {
        ExpressionAttributeValues: Object.fromEntries(
          [...this.#values.values()].map(({ placeholder, value }) => [placeholder, value]),
        ),
      }),
    };
  }

  #value(value: AttributeValue, id: string): string {
    const known = this.#values.get(id);
    if (known !== undefined) return known.placeholder;
    const placeholder = `:v${this.#values.size}`;
    this.#values.set(id, { placeholder, value });
    return placeholder;
  }
}

/** Operators and functions in a condition of placeholders. A BETWEEN's own AND counts too, so that it is never too few. */
function operatorsIn(condition: string): number {
  return (
    condition.match(/<=|>=|<>|[<>=]|\b(?:AND|OR|NOT|BETWEEN|attribute_exists|attribute_not_exists)\b/g)?.length ?? 0
  );
}
