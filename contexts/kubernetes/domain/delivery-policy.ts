import type { Document } from '#protocol/delivery';
import { type FieldPattern, parseFieldPattern } from './field-pattern.ts';
import type { IgnoredFields } from './ignore-fields.ts';
import { isJsonObject } from './json-value.ts';

export const ON_CONFLICT = ['fail', 'adopt', 'force'] as const;
export type OnConflict = (typeof ON_CONFLICT)[number];

const ON_IMMUTABLE = ['fail', 'replace'] as const;
export type OnImmutable = (typeof ON_IMMUTABLE)[number];

/** `observe` compares and writes nothing; `release` gives up ownership of the objects without touching them. */
export const MODES = ['manage', 'observe', 'release'] as const;
export type Mode = (typeof MODES)[number];

/** How an order is carried out in a cluster. */
export interface DeliveryPolicy {
  readonly mode: Mode;
  readonly onConflict: OnConflict;
  readonly onImmutable: OnImmutable;
  readonly ignoreFields: readonly IgnoredFields[];
}

export type Separated =
  | { readonly kind: 'separated'; readonly policy: DeliveryPolicy; readonly documents: readonly Document[] }
  | { readonly kind: 'fault'; readonly message: string };

const POLICY_API_VERSION = 'kubernetes.fleetshift.io/v1';

const USUAL: DeliveryPolicy = { mode: 'manage', onConflict: 'fail', onImmutable: 'fail', ignoreFields: [] };
const KNOWN = ['apiVersion', 'kind', 'metadata', 'mode', 'onConflict', 'onImmutable', 'ignoreFields'];

export function isPolicy(document: Document): boolean {
  return document['apiVersion'] === POLICY_API_VERSION;
}

/**
 * DECISION: the policy of an order is one of its documents, `kind: DeliveryPolicy`, which is never applied. The
 * delivery contract serves agents of all types and stays unchanged, and the policy is reviewed, rolled out and rolled
 * back together with its objects.
 */
export function separatePolicy(documents: readonly Document[]): Separated {
  let policy: DeliveryPolicy | undefined;
  const others: Document[] = [];
  for (const [index, document] of documents.entries()) {
    if (!isPolicy(document)) {
      others.push(document);
      continue;
    }
    const read = policy === undefined ? readPolicy(document) : 'there is already a DeliveryPolicy';
    if (typeof read === 'string') return { kind: 'fault', message: `Document ${index + 1}: ${read}.` };
    policy = read;
  }
  return { kind: 'separated', policy: policy ?? USUAL, documents: others };
}

function readPolicy(document: Document): DeliveryPolicy | string {
  const { kind, mode = 'manage', onConflict = 'fail', onImmutable = 'fail', ignoreFields = [] } = document;
  if (kind !== 'DeliveryPolicy') return `${POLICY_API_VERSION} has DeliveryPolicy only`;
  const unknown = Object.keys(document).find((field) => !KNOWN.includes(field));
  if (unknown !== undefined) return `unknown field ${unknown}; known fields are ${KNOWN.slice(3).join(', ')}`;
  if (!isOneOf(MODES, mode)) return `mode must be one of ${MODES.join(', ')}`;
  if (!isOneOf(ON_CONFLICT, onConflict)) return `onConflict must be one of ${ON_CONFLICT.join(', ')}`;
  if (!isOneOf(ON_IMMUTABLE, onImmutable)) return `onImmutable must be one of ${ON_IMMUTABLE.join(', ')}`;
  if (!Array.isArray(ignoreFields)) return 'ignoreFields must be a list';
  const ignored: IgnoredFields[] = [];
  for (const [index, entry] of ignoreFields.entries()) {
    const read = readIgnored(entry);
    if (typeof read === 'string') return `ignoreFields, entry ${index + 1}: ${read}`;
    ignored.push(read);
  }
  return { mode, onConflict, onImmutable, ignoreFields: ignored };
}

function readIgnored(entry: unknown): IgnoredFields | string {
  if (!isJsonObject(entry)) return 'must be an object with kind and fields';
  const unknown = Object.keys(entry).find((field) => !['apiGroup', 'kind', 'fields'].includes(field));
  if (unknown !== undefined) return `unknown field ${unknown}; known fields are apiGroup, kind, fields`;
  const { apiGroup, kind, fields } = entry;
  if (typeof kind !== 'string' || kind === '') return 'kind is missing';
  if (apiGroup !== undefined && typeof apiGroup !== 'string') return 'apiGroup must be a string';
  if (!Array.isArray(fields) || fields.length === 0) return 'fields must be a list of paths';
  const patterns: FieldPattern[] = [];
  for (const field of fields as readonly unknown[]) {
    const pattern = typeof field === 'string' ? parseFieldPattern(field) : 'fields must be strings';
    if (typeof pattern === 'string') return pattern;
    patterns.push(pattern);
  }
  return { apiGroup, kind, patterns };
}

function isOneOf<T extends string>(set: readonly T[], value: unknown): value is T {
  return (set as readonly unknown[]).includes(value);
}
