import type { JsonObject as Document } from '#kit/std';
import { maskValues, textsIn, type ValueMask } from '#kit/std';
import type { FieldStep } from './field-path.ts';
import { isJsonObject } from './json-value.ts';

export const HIDDEN = '(hidden)';

/** Path from an object to a secret value in it: field names and item numbers. */
export type SecretField = readonly string[];

/** By document. Each item of a list counts as its own document. */
export type SecretFields = ReadonlyMap<unknown, readonly SecretField[]>;

/** Fields that an order marks as secret, given as JSON pointers into its documents. */
export function secretFields(documents: readonly Document[], places: readonly string[] = []): SecretFields {
  const fields = new Map<unknown, SecretField[]>();
  for (const place of places) {
    const [index = '', ...steps] = stepsOf(place);
    let document = documents[Number(index)];
    while (document !== undefined && isList(document) && steps[0] === 'items') {
      const item: unknown = document['items'][Number(steps[1])];
      document = isJsonObject(item) ? item : undefined;
      steps.splice(0, 2);
    }
    fields.set(document, [...(fields.get(document) ?? []), steps]);
  }
  return fields;
}

/**
 * Whether a field is secret, or is above or below a secret field. List items may have been reordered, so a field that
 * is secret in one item is secret in all.
 */
export function isSecretField(steps: readonly FieldStep[], secrets: readonly SecretField[]): boolean {
  return secrets.some((secret) => steps.every((step, index) => index >= secret.length || fits(step, secret[index])));
}

/** Hides secret values of an order wherever a message quotes them, for instance in a server's refusal. */
export function maskFor(documents: readonly Document[], places: readonly string[] = []): ValueMask {
  const ofSecrets = documents.flatMap(secretsIn);
  const marked = places.map((place) => stepsOf(place).reduce<unknown>(fieldOf, documents));
  return maskValues([...ofSecrets, ...marked].flatMap(textsIn), HIDDEN);
}

function secretsIn(document: Document): readonly unknown[] {
  if (isList(document)) return document['items'].flatMap((item) => (isJsonObject(item) ? secretsIn(item) : []));
  const isSecret = document['apiVersion'] === 'v1' && document['kind'] === 'Secret';
  return isSecret ? [document['data'], document['stringData']] : [];
}

function isList(document: Document): document is Document & { readonly items: readonly unknown[] } {
  return document['apiVersion'] === 'v1' && document['kind'] === 'List' && Array.isArray(document['items']);
}

function fits(step: FieldStep, secret: string | undefined): boolean {
  return step.kind === 'field' ? step.name === secret : /^\d+$/.test(secret ?? '');
}

function fieldOf(value: unknown, step: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as Readonly<Record<string, unknown>>)[step]
    : undefined;
}

function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
