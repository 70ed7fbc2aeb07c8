import type { JsonObject as Document } from '#kit/std';
import { maskValues, textsIn, type ValueMask } from '#kit/std';
import type { FieldStep } from './field-path.ts';
import { isJsonObject } from './json-value.ts';

export const HIDDEN = '(hidden)';

/** Steps from an object to something secret in it: names of fields, and numbers of items. */
export type SecretField = readonly string[];

/** By the document that they are in: an item of a list is one of its own. */
export type SecretFields = ReadonlyMap<unknown, readonly SecretField[]>;

/** What an order says is secret, as JSON pointers into its documents. */
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
 * Whether a field is secret, or below or above something that is. The items of a list may have come into another order, so
 * that what is secret in one is secret in all.
 */
export function isSecretField(steps: readonly FieldStep[], secrets: readonly SecretField[]): boolean {
  return secrets.some((secret) => steps.every((step, index) => index >= secret.length || fits(step, secret[index])));
}

/** Hides values of an order wherever a message quotes them, as that of a server that refuses them does. */
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
