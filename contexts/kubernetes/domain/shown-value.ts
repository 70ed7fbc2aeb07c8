import type { FieldStep } from './field-path.ts';
import type { KubeObject } from './kube-object.ts';
import { HIDDEN, isSecretField, type SecretField } from './secret-fields.ts';

const LONGEST = 80;

export interface ShownField {
  readonly object: KubeObject;
  readonly steps: readonly FieldStep[];
  readonly secrets: readonly SecretField[];
}

/** A value on one line, cut to a readable length. Secret values are hidden. */
export function shownValue({ object: { apiVersion, kind }, steps, secrets }: ShownField, value: unknown): string {
  if (value === undefined) return 'nothing';
  if (isSecretField(steps, secrets)) return HIDDEN;
  const [first] = steps;
  const isSecret = apiVersion === 'v1' && kind === 'Secret';
  if (isSecret && first?.kind === 'field' && ['data', 'stringData'].includes(first.name)) return HIDDEN;
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
