// Checks the options that come as query parameters.
import type { FieldError } from '../field-errors.ts';
import { forbiddenValue, notSupported, tooLong } from '../field-errors.ts';
import { badRequest, invalid } from '../status.ts';

const META_GROUP = 'meta.k8s.io';
const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

/** @throws StatusError 422 for options of a write that do not exist */
export function checkWriteOptions(
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  query: URLSearchParams,
): void {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(query.get('fieldManager') ?? '') > 128) errors.push(tooLong('fieldManager', 128));
  const dryRun = query.getAll('dryRun');
  if (dryRun.some((value) => value !== 'All')) errors.push(notSupported('dryRun', dryRun, ['All']));
  const validation = query.get('fieldValidation') ?? '';
  if (!VALIDATIONS.includes(validation))
    errors.push(notSupported('fieldValidation', validation, VALIDATIONS));
  if (errors.length > 0) throw invalid({ group: META_GROUP, name: kind }, '', errors);
}

/** @throws StatusError 400 or 422 for options of a list or watch that do not exist or do not go together */
export function checkListOptions(query: URLSearchParams, watch: boolean): void {
  for (const name of ['limit', 'timeoutSeconds']) {
    const text = query.get(name) ?? '';
    if (!/^[+-]?\d*$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  }
  const errors = watch ? watchErrors(query) : listErrors(query);
  if (errors.length > 0) throw invalid({ group: META_GROUP, name: 'ListOptions' }, '', errors);
}

const MATCH = 'resourceVersionMatch';
const isSet = (query: URLSearchParams, name: string): boolean => (query.get(name) ?? '') !== '';

function listErrors(query: URLSearchParams): FieldError[] {
  const errors: FieldError[] = [];
  const match = query.get(MATCH) ?? '';
  if (match !== '') {
    if (!isSet(query, 'resourceVersion')) {
      errors.push(forbiddenValue(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
    }
    errors.push(...withContinue(query));
    const known = ['Exact', 'NotOlderThan', ''];
    if (!known.includes(match)) errors.push(notSupported(MATCH, match, known));
    if (match === 'Exact' && query.get('resourceVersion') === '0') {
      errors.push(forbiddenValue(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (isSet(query, 'sendInitialEvents')) {
    errors.push(forbiddenValue('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

function watchErrors(query: URLSearchParams): FieldError[] {
  const errors: FieldError[] = [];
  const match = query.get(MATCH) ?? '';
  const initial = isSet(query, 'sendInitialEvents');
  if (initial && match !== 'NotOlderThan') {
    errors.push(forbiddenValue(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`));
  }
  if (match === '') return errors;
  if (!initial) {
    errors.push(
      forbiddenValue(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`),
    );
  }
  if (match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']));
  return [...errors, ...withContinue(query)];
}

const withContinue = (query: URLSearchParams): FieldError[] =>
  isSet(query, 'continue') ? [forbiddenValue(MATCH, `${MATCH} is forbidden when continue is provided`)] : [];
