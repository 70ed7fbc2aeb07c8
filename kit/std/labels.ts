import type { FieldFault } from './errors.ts';

/**
 * Labels for sorting and selecting, in the syntax of Kubernetes labels. Keys are sorted, so that equal sets are written
 * alike.
 */
export type Labels = Readonly<Record<string, string>>;

/** As in a JSON merge patch (RFC 7396): `null` removes one label, or all of them. */
export type LabelsPatch = Readonly<Record<string, string | null>> | null;

export const MAX_LABELS = 64;

const PART_MAX_LENGTH = 63;
const PREFIX_MAX_LENGTH = 253;
const PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const PART_RULE = '1 to 63 letters, digits, -, _ and ., with a letter or digit at both ends';

export function sortedLabels(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).sort(byKey));
}

/** Returns the labels sorted. Labels that the patch does not name stay unchanged. */
export function mergeLabels(labels: Labels, patch: LabelsPatch | undefined): Labels {
  if (patch === undefined) return labels;
  const merged = new Map(Object.entries(labels));
  if (patch === null) merged.clear();
  for (const [key, value] of Object.entries(patch ?? {})) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return sortedLabels(Object.fromEntries(merged));
}

export function sameLabels(a: Labels, b: Labels): boolean {
  const entries = Object.entries(a);
  return entries.length === Object.keys(b).length && entries.every(([key, value]) => b[key] === value);
}

/** Paths are JSON pointers into a document with the labels at `at`. */
export function labelFaults(labels: Labels, at = '/labels'): FieldFault[] {
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) return [{ path: at, message: `has more than ${MAX_LABELS} labels` }];
  return entries.flatMap(([key, value]) => {
    const message = keyFault(key) ?? valueFault(value);
    return message === undefined ? [] : [{ path: `${at}/${escapePointer(key)}`, message }];
  });
}

/** Escapes a key as a segment of a JSON pointer (RFC 6901). */
export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
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
