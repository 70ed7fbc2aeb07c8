import type { FieldFault } from '#kit/std';

/** What people sort and select by, in the syntax of Kubernetes labels. Keys are in order, so that equal sets read alike. */
export type Labels = Readonly<Record<string, string>>;

export const MAX_LABELS = 64;

const PART_MAX_LENGTH = 63;
const PREFIX_MAX_LENGTH = 253;
const PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const PART_RULE = '1 to 63 letters, digits, -, _ and ., with a letter or digit at both ends';

export function sortedLabels(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).sort(byKey));
}

/** Each place is a JSON pointer into a document that has the labels at `/labels`. */
export function labelFaults(labels: Labels): FieldFault[] {
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) return [{ path: '/labels', message: `has more than ${MAX_LABELS} labels` }];
  return entries.flatMap(([key, value]) => {
    const message = keyFault(key) ?? valueFault(value);
    return message === undefined ? [] : [{ path: `/labels/${escapePointer(key)}`, message }];
  });
}

function byKey([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

function keyFault(key: string): string | undefined {
  const slash = key.indexOf('/');
  const name = key.slice(slash + 1);
  if (!isPart(name)) return `the key must be a name of ${PART_RULE}, after an optional DNS domain and a slash`;
  if (slash === -1) return undefined;
  const prefix = key.slice(0, slash);
  if (prefix.length <= PREFIX_MAX_LENGTH && PREFIX.test(prefix)) return undefined;
  return `what stands before the slash of the key must be a DNS domain in lower case, up to ${PREFIX_MAX_LENGTH} characters`;
}

function valueFault(value: string): string | undefined {
  return value === '' || isPart(value) ? undefined : `the value must be empty, or ${PART_RULE}`;
}

function isPart(text: string): boolean {
  return text.length <= PART_MAX_LENGTH && PART.test(text);
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
