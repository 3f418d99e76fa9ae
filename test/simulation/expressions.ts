import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type Item = Readonly<Record<string, AttributeValue>>;

/** An expression with the names and values its placeholders stand for. */
export interface Expression {
  readonly text: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Item;
}

/** The effect of an update: the item afterwards, and the attributes it SET, in the order of the expression. */
export interface Updated {
  readonly item: Item;
  readonly set: readonly string[];
}

/**
 * DynamoDB's condition, key-condition and filter expressions, as much of them as Usher uses (developer guide,
 * "Condition and filter expressions"). A comparison with an absent attribute is false.
 */
export function holds(expression: Expression, item: Item | undefined): boolean {
  const reader = new Reader(expression, item ?? {});
  const result = reader.or();
  reader.end();
  return result;
}

/** DynamoDB's update expressions: SET with + and −, ADD of numbers, REMOVE; each attribute at most once. */
export function applyUpdate(expression: Expression, before: Item): Updated {
  const reader = new Reader(expression, before);
  const item: Record<string, AttributeValue> = { ...before };
  const touched = new Set<string>();
  const set: string[] = [];
  while (!reader.atEnd) {
    const clause = reader.take().toUpperCase();
    do {
      const name = reader.attribute();
      if (touched.size === touched.add(name).size) throw new Error(`two paths overlap: ${name}`);
      if (clause === 'SET') {
        reader.expect('=');
        item[name] = reader.sum();
        set.push(name);
      } else if (clause === 'ADD') {
        item[name] = { N: String(numberOf(before[name] ?? { N: '0' }) + numberOf(reader.value())) };
      } else if (clause === 'REMOVE') {
        delete item[name];
      } else {
        throw new Error(`unknown clause ${clause}`);
      }
    } while (reader.skip(','));
  }
  return { item, set };
}

/** Reads an expression token by token, by recursive descent. */
class Reader {
  readonly #tokens: readonly string[];
  readonly #expression: Expression;
  readonly #item: Item;
  #at = 0;

  constructor(expression: Expression, item: Item) {
    this.#expression = expression;
    this.#item = item;
    this.#tokens = expression.text.match(/<=|>=|<>|[=<>(),+-]|[#:]?[A-Za-z0-9_]+/g) ?? [];
  }

  get atEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  take(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new Error(`expression ends too early: ${this.#expression.text}`);
    return token;
  }

  skip(token: string): boolean {
    if (this.#tokens[this.#at]?.toUpperCase() !== token) return false;
    this.#at++;
    return true;
  }

  expect(token: string): void {
    if (!this.skip(token)) throw new Error(`expected ${token} in: ${this.#expression.text}`);
  }

  end(): void {
    if (!this.atEnd) throw new Error(`cannot read: ${this.#expression.text}`);
  }

  or(): boolean {
    let result = this.#and();
    while (this.skip('OR')) result = this.#and() || result;
    return result;
  }

  attribute(): string {
    const token = this.take();
    if (!token.startsWith('#')) return token;
    const name = this.#expression.names[token];
    if (name === undefined) throw new Error(`no name for ${token}`);
    return name;
  }

  /** A value, or an attribute's value. */
  value(): AttributeValue {
    const value = this.#operand();
    if (value === undefined) throw new Error(`an operand is absent in: ${this.#expression.text}`);
    return value;
  }

  sum(): AttributeValue {
    const first = this.value();
    if (this.skip('+')) return { N: String(numberOf(first) + numberOf(this.value())) };
    if (this.skip('-')) return { N: String(numberOf(first) - numberOf(this.value())) };
    return first;
  }

  #and(): boolean {
    let result = this.#not();
    while (this.skip('AND')) result = this.#not() && result;
    return result;
  }

  #not(): boolean {
    return this.skip('NOT') ? !this.#not() : this.#term();
  }

  #term(): boolean {
    if (this.skip('(')) {
      const result = this.or();
      this.expect(')');
      return result;
    }
    if (this.skip('ATTRIBUTE_NOT_EXISTS')) return !this.#exists();
    if (this.skip('ATTRIBUTE_EXISTS')) return this.#exists();
    if (this.skip('BEGINS_WITH')) {
      this.expect('(');
      const subject = this.#operand();
      this.expect(',');
      const prefix = this.value();
      this.expect(')');
      return subject?.S !== undefined && prefix.S !== undefined && subject.S.startsWith(prefix.S);
    }
    const left = this.#operand();
    if (this.skip('BETWEEN')) {
      const low = this.value();
      this.expect('AND');
      const high = this.value();
      return left !== undefined && compare(left, low) >= 0 && compare(left, high) <= 0;
    }
    const operator = this.take();
    const right = this.#operand();
    if (left === undefined || right === undefined) return false;
    const order = compare(left, right);
    switch (operator) {
      case '=':
        return order === 0;
      case '<>':
        return order !== 0;
      case '<':
        return order < 0;
      case '<=':
        return order <= 0;
      case '>':
        return order > 0;
      case '>=':
        return order >= 0;
      default:
        throw new Error(`unknown operator ${operator}`);
    }
  }

  #exists(): boolean {
    this.expect('(');
    const found = this.#item[this.attribute()] !== undefined;
    this.expect(')');
    return found;
  }

  #operand(): AttributeValue | undefined {
    const token = this.#tokens[this.#at];
    if (!token?.startsWith(':')) return this.#item[this.attribute()];
    this.#at++;
    const value = this.#expression.values[token];
    if (value === undefined) throw new Error(`no value for ${token}`);
    return value;
  }
}

export function numberOf(value: AttributeValue): number {
  if (value.N === undefined) throw new Error('a number was expected');
  return Number(value.N);
}

function compare(a: AttributeValue, b: AttributeValue): number {
  if (a.N !== undefined && b.N !== undefined) return Number(a.N) - Number(b.N);
  if (a.S !== undefined && b.S !== undefined) return a.S < b.S ? -1 : a.S > b.S ? 1 : 0;
  if (a.BOOL !== undefined && b.BOOL !== undefined) return Number(a.BOOL) - Number(b.BOOL);
  return Number.NaN;
}
