// The formats of names, labels and ports, with the sentences that the API server says when they are broken.

const LABEL_1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_1123 = `${LABEL_1123}(\\.${LABEL_1123})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const IS_LABEL_1123 = whole(LABEL_1123);
const IS_SUBDOMAIN_1123 = whole(SUBDOMAIN_1123);
const IS_LABEL_1035 = whole(LABEL_1035);
const IS_QUALIFIED_NAME = whole(QUALIFIED_NAME);
const IS_LABEL_VALUE = whole(LABEL_VALUE);

const maximum = (length: number, unit = 'characters'): string => `must be no more than ${length} ${unit}`;

function pattern(message: string, regex: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${shown}regex used for validation is '${regex}')`;
}

/** Lengths are in bytes; the messages about label keys and values say so, the others do not. */
const tooLong = (value: string, length: number, unit?: string): string[] =>
  Buffer.byteLength(value) > length ? [maximum(length, unit)] : [];

/** DNS-1123 label. Each function of this file returns what is wrong: an empty list is a valid value. */
export function isDns1123Label(value: string): string[] {
  const problems = tooLong(value, 63);
  if (IS_LABEL_1123.test(value)) return problems;
  if (IS_SUBDOMAIN_1123.test(value)) return [...problems, 'must not contain dots'];
  return [
    ...problems,
    pattern(
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
      LABEL_1123,
      'my-name',
      '123-abc',
    ),
  ];
}

export function isDns1123Subdomain(value: string): string[] {
  const problems = tooLong(value, 253);
  if (IS_SUBDOMAIN_1123.test(value)) return problems;
  return [
    ...problems,
    pattern(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      SUBDOMAIN_1123,
      'example.com',
    ),
  ];
}

export function isDns1035Label(value: string): string[] {
  const problems = tooLong(value, 63);
  if (IS_LABEL_1035.test(value)) return problems;
  return [
    ...problems,
    pattern(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
      LABEL_1035,
      'my-name',
      'abc-123',
    ),
  ];
}

/** A generateName as its kind's rule sees it: a trailing dash, to which more is added, does not count. */
export const asPrefix = (value: string): string =>
  value.length > 1 && value.endsWith('-') ? `${value.slice(0, -2)}a` : value;

const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** A label or annotation key: an optional DNS subdomain, a slash, a name. */
export function isQualifiedName(value: string): string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${pattern(NAME_RULE, QUALIFIED_NAME, 'MyName', 'my.name', '123-abc')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const [name = '', prefix] = parts.toReversed();
  return [...prefixProblems(prefix), ...nameProblems(name)];
}

function prefixProblems(prefix: string | undefined): string[] {
  if (prefix === undefined) return [];
  if (prefix === '') return ['prefix part must be non-empty'];
  return isDns1123Subdomain(prefix).map((problem) => `prefix part ${problem}`);
}

function nameProblems(name: string): string[] {
  const problems: string[] = [];
  if (name === '') problems.push('name part must be non-empty');
  else if (Buffer.byteLength(name) > 63) problems.push(`name part ${maximum(63, 'bytes')}`);
  if (!IS_QUALIFIED_NAME.test(name)) {
    problems.push(`name part ${pattern(NAME_RULE, QUALIFIED_NAME, 'MyName', 'my.name', '123-abc')}`);
  }
  return problems;
}

export function isLabelValue(value: string): string[] {
  const problems = tooLong(value, 63, 'bytes');
  if (IS_LABEL_VALUE.test(value)) return problems;
  return [
    ...problems,
    pattern(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      LABEL_VALUE,
      'MyValue',
      'my_value',
      '12345',
    ),
  ];
}

export const isPortNumber = (value: number): string[] =>
  value >= 1 && value <= 65_535 ? [] : ['must be between 1 and 65535, inclusive'];

/** A named port (IANA service name). */
export function isPortName(value: string): string[] {
  const problems = value.length > 15 ? [maximum(15)] : [];
  if (!/^[-a-z0-9]+$/.test(value)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(value)) problems.push('must contain at least one letter (a-z)');
  if (value.includes('--')) problems.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
}

/** What a name may be for all kinds. */
export function isPathSegment(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}
