// Errors of validation: one field, what is wrong with it, and how the API server words it.

export type FieldErrorType =
  | 'FieldValueInvalid'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueNotSupported'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid';

export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly value?: unknown;
  readonly detail: string;
}

const TITLES: Readonly<Record<FieldErrorType, string>> = {
  FieldValueInvalid: 'Invalid value',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
};
const WITHOUT_VALUE: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
]);

export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  value,
  detail,
});
/** A value of the wrong type, found by the schema of a custom resource. */
export const wrongType = (field: string, actual: string, wanted: string): FieldError => ({
  type: 'FieldValueTypeInvalid',
  field,
  value: actual,
  detail: `${field} in body must be of type ${wanted}: "${actual}"`,
});
export const required = (field: string, detail = ''): FieldError => ({
  type: 'FieldValueRequired',
  field,
  detail,
});
export const duplicate = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  field,
  value,
  detail: '',
});
export const forbiddenValue = (field: string, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  field,
  detail,
});
export const tooLong = (field: string, limit: number): FieldError => ({
  type: 'FieldValueTooLong',
  field,
  detail: `may not be more than ${limit} bytes`,
});
export const tooMany = (field: string, actual: number, limit: number): FieldError => ({
  type: 'FieldValueTooMany',
  field,
  value: actual,
  detail: `must have at most ${limit} items`,
});
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  type: 'FieldValueNotSupported',
  field,
  value,
  detail: `supported values: ${supported.map((item) => JSON.stringify(item)).join(', ')}`,
});

/** The text of a cause: type, value where the type shows one, detail. */
export function errorBody(error: FieldError): string {
  const title = TITLES[error.type];
  const value = WITHOUT_VALUE.has(error.type) ? '' : `: ${JSON.stringify(error.value ?? null)}`;
  return `${title}${value}${error.detail === '' ? '' : `: ${error.detail}`}`;
}

/** All errors in one line: repeated ones once, in brackets when there are several. */
export function aggregate(errors: readonly FieldError[]): string {
  const messages = [...new Set(errors.map((error) => `${error.field}: ${errorBody(error)}`))];
  return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
}
