import type { ApiStatus } from './api-status.ts';
import type { OnImmutable } from './delivery-policy.ts';
import { bounded } from './field-conflict.ts';
import { groupOf, keyText, type ObjectKey } from './kube-object.ts';

/** The phrases in which API servers refuse to change a field. There is no status reason for it. */
const SAYINGS = [
  /\bimmutable\b/i,
  /updates to statefulset spec for fields other than/,
  /pod updates may not change fields other than/,
  /may not (?:be changed|change once set|be updated)/,
  /updates to \w+ are forbidden/,
  /cannot change roleRef/,
];

/** Deleting these also deletes data that no manifest brings back. */
const NEVER_REPLACED = new Set([
  '/Namespace',
  '/PersistentVolume',
  '/PersistentVolumeClaim',
  'apiextensions.k8s.io/CustomResourceDefinition',
]);

/**
 * The fields that the server refuses to change. `undefined` if the refusal has other causes too, because then a new
 * object would be refused as well. Empty if the server does not name the fields.
 */
export function immutableFields({ code, reason, message = '', details }: ApiStatus): readonly string[] | undefined {
  if (code !== 422 && reason !== 'Invalid') return undefined;
  const causes = details?.causes ?? [];
  if (causes.length === 0) return isSaid(message) ? [] : undefined;
  if (!causes.every((cause) => isSaid(cause.message ?? ''))) return undefined;
  return [...new Set(causes.flatMap(({ field }) => (field ? [field] : [])))].sort();
}

export type ImmutableStep =
  /** Delete, wait until it is gone, and create again. */
  { readonly kind: 'replace' } | { readonly kind: 'refuse'; readonly message: string };

export function immutableStep(key: ObjectKey, fields: readonly string[], policy: OnImmutable): ImmutableStep {
  const which = fields.length === 0 ? 'fields' : bounded(fields);
  const what = `${keyText(key)}: ${which} cannot be changed after creation`;
  if (NEVER_REPLACED.has(`${groupOf(key.apiVersion)}/${key.kind}`)) {
    return {
      kind: 'refuse',
      message: `${what}, and a ${key.kind} is never replaced, since its data would go with it.`,
    };
  }
  if (policy === 'replace') return { kind: 'replace' };
  return { kind: 'refuse', message: `${what}. Set onImmutable: replace to delete and recreate it.` };
}

function isSaid(message: string): boolean {
  return SAYINGS.some((saying) => saying.test(message));
}
