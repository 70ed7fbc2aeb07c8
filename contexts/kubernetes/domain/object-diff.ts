import { canonicalJson } from '#kit/std';
import { type FieldStep, pathText } from './field-path.ts';
import type { FieldPattern } from './field-pattern.ts';
import { appliedFields, leavesOf, unionOf } from './field-set.ts';
import { withoutIgnored } from './ignore-fields.ts';
import { DEPLOYMENT_LABEL, FIELD_MANAGER, type KubeObject, keyOf, keyText } from './kube-object.ts';
import { HIDDEN, isSecretField, type SecretField } from './secret-fields.ts';

export interface Comparison {
  readonly live: KubeObject | undefined;
  /** Result of a dry-run apply; `undefined` if the object would be deleted. */
  readonly next: KubeObject | undefined;
  readonly patterns: readonly FieldPattern[];
  /** Fields that the order marks as secret. */
  readonly secrets: readonly SecretField[];
}

interface FieldChange {
  readonly steps: readonly FieldStep[];
  readonly before: unknown;
  readonly after: unknown;
}

const MAX_LINES = 20;
/** Bookkeeping of kubectl and of this agent. */
const NOT_SHOWN = new Set([
  '.metadata.annotations.kubectl.kubernetes.io/last-applied-configuration',
  `.metadata.labels.${DEPLOYMENT_LABEL}`,
]);

/** For people: `change apps/v1/Deployment/shop/web`, and a line for each field. Empty if nothing would change. */
export function diffLines(comparison: Comparison): string[] {
  const { live, next } = comparison;
  if (next === undefined) return live === undefined ? [] : [`delete ${keyText(keyOf(live))}`];
  if (live === undefined) return [`create ${keyText(keyOf(next))}`];
  const changes = fieldChanges({ ...comparison, live, next });
  if (changes.length === 0) return [];
  const lines = changes.slice(0, MAX_LINES).map((change) => `  ${lineOf(next, change, comparison.secrets)}`);
  const more = changes.length > MAX_LINES ? [`  and ${changes.length - MAX_LINES} more fields`] : [];
  return [`change ${keyText(keyOf(next))}`, ...lines, ...more];
}

/**
 * Fields that are ours or would become ours; fields set by servers and controllers are left out. Both sides come from
 * the server, so `1000m` and `1` compare as equal.
 */
function fieldChanges({ live, next, patterns }: Comparison & { live: KubeObject; next: KubeObject }): FieldChange[] {
  const ours = unionOf([appliedFields(live, FIELD_MANAGER), appliedFields(next, FIELD_MANAGER)]);
  const [before, after] = [live, next].map((object) => byPath(leavesOf(withoutIgnored(object, patterns), ours)));
  const paths = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].sort();
  return paths.flatMap((path) => {
    const [old, its] = [before?.get(path), after?.get(path)];
    const steps = its?.steps ?? old?.steps;
    if (steps === undefined || NOT_SHOWN.has(path) || isSame(old?.value, its?.value)) return [];
    return [{ steps, before: old?.value, after: its?.value }];
  });
}

export function isSame(one: unknown, two: unknown): boolean {
  if (one === undefined || two === undefined) return one === two;
  return canonicalJson(one) === canonicalJson(two);
}

function lineOf(object: KubeObject, { steps, before, after }: FieldChange, secrets: readonly SecretField[]): string {
  const [old, next] = [before, after].map((value) => shownValue({ object, steps, secrets }, value));
  const path = pathText(steps);
  return old === next ? `${path}: changed` : `${path}: ${old} -> ${next}`;
}

function byPath<T extends { readonly steps: readonly FieldStep[] }>(leaves: readonly T[]): Map<string, T> {
  return new Map(leaves.map((leaf) => [pathText(leaf.steps), leaf]));
}

const LONGEST = 80;

interface ShownField {
  readonly object: KubeObject;
  readonly steps: readonly FieldStep[];
  readonly secrets: readonly SecretField[];
}

/** A value on one line, cut to a readable length. Secret values are hidden. */
function shownValue({ object: { apiVersion, kind }, steps, secrets }: ShownField, value: unknown): string {
  if (value === undefined) return 'nothing';
  if (isSecretField(steps, secrets)) return HIDDEN;
  const [first] = steps;
  const isSecret = apiVersion === 'v1' && kind === 'Secret';
  if (isSecret && first?.kind === 'field' && ['data', 'stringData'].includes(first.name)) return HIDDEN;
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
