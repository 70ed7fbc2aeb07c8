import { faultText, type InvalidField } from './field-fault.ts';

/** As received: the schema checks only that these are strings and lists, not their contents. */
export interface WrittenSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | null;
  readonly matchExpressions?: readonly SelectorExpression[] | null;
}

interface SelectorExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null;
}

/**
 * Why Kubernetes refuses the selector, in its own wording, or undefined. Reports the first fault, as Kubernetes does;
 * labels are checked in order of their names, where Go uses map order.
 */
export function selectorFault({ matchLabels, matchExpressions }: WrittenSelector): string | undefined {
  const labels = Object.entries(matchLabels ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, value] of labels) {
    const faults = [...keyFaults(key), ...valueFaults(key, [value])];
    if (faults.length > 0) return faultText(faults);
  }
  for (const expression of matchExpressions ?? []) {
    const fault = expressionFault(expression);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

export function isEmptySelector({ matchLabels, matchExpressions }: WrittenSelector): boolean {
  return Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;
}

function expressionFault({ key, operator, values }: SelectorExpression): string | undefined {
  const count = OPERATORS.get(operator);
  if (count === undefined) return `${JSON.stringify(operator)} is not a valid label selector operator`;
  const given = values ?? [];
  // Go writes an empty list as null.
  const shown = given.length === 0 ? null : given;
  const faults = keyFaults(key);
  if (count === 'some' && given.length === 0) {
    const detail = "for 'in', 'notin' operators, values set can't be empty";
    faults.push({ field: 'values', value: shown, detail });
  }
  if (count === 'none' && given.length > 0) {
    faults.push({ field: 'values', value: shown, detail: 'values set must be empty for exists and does not exist' });
  }
  const all = [...faults, ...valueFaults(key, given)];
  return all.length === 0 ? undefined : faultText(all);
}

const OPERATORS: ReadonlyMap<string, 'some' | 'none'> = new Map([
  ['In', 'some'],
  ['NotIn', 'some'],
  ['Exists', 'none'],
  ['DoesNotExist', 'none'],
]);

const MAX_BYTES = 63;
const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const SUBDOMAIN = String.raw`[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`;
const SUBDOMAIN_MAX_BYTES = 253;
const IS_NAME = new RegExp(`^${NAME}$`);
const IS_VALUE = new RegExp(`^(${NAME})?$`);
const IS_SUBDOMAIN = new RegExp(`^${SUBDOMAIN}$`);
const OF_NAME =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character" +
  ` (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${NAME}')`;
const OF_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character" +
  ` (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${NAME})?')`;
const OF_SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character" +
  ` (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;

function keyFaults(key: string): InvalidField[] {
  const why = whyNoKey(key);
  return why.length === 0 ? [] : [{ field: 'key', value: key, detail: why.join('; ') }];
}

function whyNoKey(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [`a valid label key ${OF_NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? '';
  return [
    ...(parts.length === 2 ? whyNoPrefix(parts[0] ?? '') : []),
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...(bytes(name) > MAX_BYTES ? [`name part must be no more than ${MAX_BYTES} bytes`] : []),
    ...(IS_NAME.test(name) ? [] : [`name part ${OF_NAME}`]),
  ];
}

function whyNoPrefix(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return [
    ...(bytes(prefix) > SUBDOMAIN_MAX_BYTES ? [`prefix part must be no more than ${SUBDOMAIN_MAX_BYTES} bytes`] : []),
    ...(IS_SUBDOMAIN.test(prefix) ? [] : [`prefix part ${OF_SUBDOMAIN}`]),
  ];
}

function valueFaults(key: string, values: readonly string[]): InvalidField[] {
  return values.flatMap((value, index) => {
    const why = [
      ...(bytes(value) > MAX_BYTES ? [`must be no more than ${MAX_BYTES} bytes`] : []),
      ...(IS_VALUE.test(value) ? [] : [OF_VALUE]),
    ];
    return why.length === 0 ? [] : [{ field: `values[${index}][${key}]`, value, detail: why.join('; ') }];
  });
}

function bytes(text: string): number {
  // Most texts are ASCII, and this runs for each set and cluster.
  return IS_NAME.test(text) ? text.length : new TextEncoder().encode(text).length;
}
