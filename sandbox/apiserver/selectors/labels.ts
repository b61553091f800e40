// Label selectors of list and watch requests: equality, sets, existence, numbers.
import { errorBody, invalidValue } from '../field-errors.ts';
import { badRequest } from '../status.ts';
import { isLabelValue, isQualifiedName } from '../validation/names.ts';
import { tokenize } from './tokens.ts';
import type { Token } from './tokens.ts';

export type Labels = Readonly<Record<string, string>>;
export type Selector = (labels: Labels) => boolean;

/** @throws StatusError 400 for a selector that cannot be parsed, in the words of the real parser */
export function parseLabelSelector(text: string): Selector {
  const requirements = new Parser(tokenize(text)).parse();
  return (labels) => requirements.every((requirement) => requirement(labels));
}

const BINARY = ['in', 'notin', '=', '==', '!=', 'gt', 'lt'];
const OPERATORS = ['in', 'notin', '=', '==', '!=', '>', '<'];

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get #next(): Token {
    return this.#tokens[this.#position] ?? { kind: 'end', text: '' };
  }

  #take(): Token {
    const token = this.#next;
    this.#position += 1;
    return token;
  }

  #isNext(text: string): boolean {
    return this.#next.kind === 'symbol' && this.#next.text === text;
  }

  get #startsRequirement(): boolean {
    return this.#next.kind === 'identifier' || this.#isNext('!');
  }

  parse(): Selector[] {
    const requirements: Selector[] = [];
    while (this.#next.kind !== 'end') {
      if (!this.#startsRequirement) {
        throw badRequest(`found '${this.#next.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const separator = this.#take();
      if (separator.kind === 'end') break;
      if (separator.kind !== 'symbol' || separator.text !== ',') {
        throw badRequest(`found '${separator.text}', expected: ',' or 'end of string'`);
      }
      if (!this.#startsRequirement)
        throw badRequest(`found '${this.#next.text}', expected: identifier after ','`);
    }
    return requirements;
  }

  #requirement(): Selector {
    const absent = this.#isNext('!');
    if (absent) this.#take();
    const key = this.#take();
    if (key.kind !== 'identifier') throw unparsable(`found '${key.text}', expected: identifier`);
    const [problem] = isQualifiedName(key.text);
    if (problem !== undefined) throw invalidPart('<nil>', key.text, isQualifiedName(key.text));
    if (absent) return (labels) => !(key.text in labels);
    if (this.#next.kind === 'end' || this.#isNext(',')) return (labels) => key.text in labels;
    return this.#comparison(key.text);
  }

  #comparison(key: string): Selector {
    const operator = this.#take();
    if (operator.kind === 'end' || !OPERATORS.includes(operator.text)) {
      throw unparsable(`found '${operator.text}', expected: ${BINARY.join(', ')}`);
    }
    const isSet = operator.text === 'in' || operator.text === 'notin';
    const values = [...new Set(isSet ? this.#values() : [this.#value()])].toSorted();
    checkValues(key, operator.text, values);
    return matcher(key, operator.text, values);
  }

  #value(): string {
    if (this.#next.kind === 'end' || this.#isNext(',')) return '';
    const value = this.#take();
    if (value.kind === 'identifier') return value.text;
    throw unparsable(`found '${value.text}', expected: identifier`);
  }

  #values(): string[] {
    const open = this.#take();
    if (open.kind !== 'symbol' || open.text !== '(') throw unparsable(`found '${open.text}' expected: '('`);
    if (this.#isNext(')')) {
      this.#take();
      return [''];
    }
    if (this.#next.kind !== 'identifier' && !this.#isNext(',')) {
      throw unparsable(`found '${this.#next.text}', expected: ',', ')' or identifier`);
    }
    const values = this.#identifiers();
    this.#take();
    return values;
  }

  /** Up to the closing bracket; an empty place between commas is the empty value. */
  #identifiers(): string[] {
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      if (token.kind === 'identifier') {
        values.push(token.text);
        if (this.#isNext(')')) return values;
        if (!this.#isNext(',')) throw unparsable(`found '${this.#next.text}', expected: ',' or ')'`);
      } else if (token.kind === 'symbol' && token.text === ',') {
        if (values.length === 0 || this.#isNext(')') || this.#isNext(',')) values.push('');
        if (this.#isNext(')')) return values;
      } else throw unparsable(`found '${token.text}', expected: ',', or identifier`);
    }
  }
}

const unparsable = (why: string): Error => badRequest(`unable to parse requirement: ${why}`);

const invalidPart = (field: string, value: string, problems: readonly string[]): Error =>
  unparsable(`${field}: ${errorBody(invalidValue(field, value, problems.join('; ')))}`);

function checkValues(key: string, operator: string, values: readonly string[]): void {
  for (const [index, value] of values.entries()) {
    const field = `values[${index}]`;
    if ((operator === '>' || operator === '<') && !/^[+-]?\d+$/.test(value)) {
      throw invalidPart(field, value, ["for 'Gt', 'Lt' operators, the value must be an integer"]);
    }
    const problems = isLabelValue(value);
    if (problems.length > 0) throw invalidPart(`${field}[${key}]`, value, problems);
  }
}

/** "notin" and "!=" also select what does not have the key; numbers select only what has one. */
function matcher(key: string, operator: string, values: readonly string[]): Selector {
  const [value = ''] = values;
  switch (operator) {
    case 'notin':
    case '!=':
      return (labels) => !values.includes(labels[key] ?? '\0');
    case '>':
    case '<':
      return (labels) => {
        const text = labels[key] ?? '';
        if (!/^[+-]?\d+$/.test(text)) return false;
        return operator === '>' ? Number(text) > Number(value) : Number(text) < Number(value);
      };
    default:
      return (labels) => values.includes(labels[key] ?? '\0');
  }
}
