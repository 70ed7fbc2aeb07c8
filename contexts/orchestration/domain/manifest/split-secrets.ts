import type { Json } from '#kit/std';
import { canonicalJson, REDACTED } from '#kit/std';
import { fieldOf, isList, isObject } from './json.ts';
import { isKubernetesSecret, markKubernetesSecret } from './kubernetes-secret.ts';
import { isMarked, marked, withoutMarks } from './secret-mark.ts';

const REFERENCE = '$secretRef';
const REFERENCE_LIKE = /^\$+secretRef$/;
const ESCAPED = /^\$\$+secretRef$/;

type Reference = { readonly [REFERENCE]: string };

/**
 * Identifies a secret outside its seal. Equal secrets have equal fingerprints, different ones different fingerprints.
 *
 * DECISION: the function is injected, and has to be keyed. A plain hash of a password is open to a dictionary attack by
 * every reader, and fingerprints are widely visible: they are part of the content hash that status and agents show.
 */
export type Fingerprint = (secret: string) => string;

/** In `open` each secret is replaced by a reference; it may be stored, compared and hashed as it is. */
export interface Split<T extends Json> {
  readonly open: T;
  /** By reference; a secret that occurs twice is listed once. Must be sealed. */
  readonly secrets: Readonly<Record<string, Json>>;
}

export type Joined<T extends Json> =
  | { readonly kind: 'joined'; readonly value: T }
  | { readonly kind: 'missing'; readonly references: readonly string[] };

/** Extracts the data of Kubernetes Secrets and all marked values, from documents and from any spec. */
export function splitSecrets<T extends Json>(value: T, fingerprint: Fingerprint): Split<T> {
  const secrets = new Map<string, Json>();
  const refer = (secret: Json): Reference => {
    const reference = fingerprint(canonicalJson(secret));
    secrets.set(reference, secret);
    return { [REFERENCE]: reference };
  };
  const open = replaceSecrets(value, { keyOf: escaped, instead: refer });
  // Only secrets change their shape, and a payload or a spec is never a secret as a whole.
  return { open: open as T, secrets: Object.fromEntries(secrets) };
}

/** The value as it is delivered, without marks: the inverse of `splitSecrets`. */
export function joinSecrets<T extends Json>(open: T, secrets: Readonly<Record<string, Json>>): Joined<T> {
  const missing = new Set<string>();
  const resolve = (reference: string): Json => {
    const secret = Object.hasOwn(secrets, reference) ? secrets[reference] : undefined;
    if (secret === undefined) missing.add(reference);
    return secret ?? null;
  };
  const value = replaceReferences(open, resolve);
  if (missing.size > 0) return { kind: 'missing', references: [...missing].sort() };
  return { kind: 'joined', value: value as T };
}

/** The value as users see it; takes a value as it was sent, or the open part of a split one. */
export function maskSecrets<T extends Json>(value: T): T {
  const allMarked = replaceReferences(value, () => marked(null));
  return replaceSecrets(allMarked, { keyOf: (key) => key, instead: () => REDACTED }) as T;
}

/** For comparing open values: a reference is atomic, not an object to descend into. */
export function isReference(value: Json | undefined): value is Reference {
  return isObject(value) && typeof fieldOf(value, REFERENCE) === 'string' && Object.keys(value).length === 1;
}

/** The original name of a field of an open value. */
export function keyAsSent(key: string): string {
  return ESCAPED.test(key) ? key.slice(1) : key;
}

interface Replacement {
  keyOf(key: string): string;
  instead(secret: Json): Json;
}

function replaceSecrets(value: Json, by: Replacement): Json {
  if (isMarked(value)) return by.instead(withoutMarks(value));
  if (isList(value)) return value.map((item) => replaceSecrets(item, by));
  if (!isObject(value)) return value;
  const source = isKubernetesSecret(value) ? markKubernetesSecret(value) : value;
  return Object.fromEntries(Object.entries(source).map(([key, field]) => [by.keyOf(key), replaceSecrets(field, by)]));
}

function replaceReferences(value: Json, resolve: (reference: string) => Json): Json {
  if (isReference(value)) return resolve(value[REFERENCE]);
  if (isList(value)) return value.map((item) => replaceReferences(item, resolve));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [keyAsSent(key), replaceReferences(field, resolve)]),
  );
}

/** A field of the user's that is named like a reference must not be taken for one. */
function escaped(key: string): string {
  return REFERENCE_LIKE.test(key) ? `$${key}` : key;
}
