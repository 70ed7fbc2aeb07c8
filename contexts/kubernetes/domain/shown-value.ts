import type { FieldStep } from './field-path.ts';
import type { KubeObject } from './kube-object.ts';

const LONGEST = 80;
const HIDDEN = '(hidden)';

/** A value on one line, never longer than a reader can use; of a Secret nothing but that there is one. */
export function shownValue({ apiVersion, kind }: KubeObject, [first]: readonly FieldStep[], value: unknown): string {
  if (value === undefined) return 'nothing';
  const isSecret = apiVersion === 'v1' && kind === 'Secret';
  if (isSecret && first?.kind === 'field' && ['data', 'stringData'].includes(first.name)) return HIDDEN;
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
