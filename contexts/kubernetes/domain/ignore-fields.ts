import type { JsonObject } from '#kit/std';
import { type FieldStep, hasKeys } from './field-path.ts';
import type { FieldPattern, PatternStep } from './field-pattern.ts';
import { fieldsOf, placesOf } from './field-set.ts';
import { isJsonObject } from './json-value.ts';
import { FIELD_MANAGER, groupOf, type KubeObject } from './kube-object.ts';

/** Applies to all objects of a kind; without `apiGroup`, of any group. */
export interface IgnoredFields {
  readonly apiGroup?: string | undefined;
  readonly kind: string;
  readonly patterns: readonly FieldPattern[];
}

export function patternsFor({ apiVersion, kind }: KubeObject, ignored: readonly IgnoredFields[]): FieldPattern[] {
  return ignored.flatMap((entry) => {
    const isOfGroup = entry.apiGroup === undefined || entry.apiGroup === groupOf(apiVersion);
    return entry.kind === kind && isOfGroup ? entry.patterns : [];
  });
}

/** For comparisons: removes the ignored fields. */
export function withoutIgnored(object: KubeObject, patterns: readonly FieldPattern[]): KubeObject {
  let rest: unknown = object;
  for (const { steps } of patterns) rest = changed({ value: rest, live: undefined }, steps);
  return rest as KubeObject;
}

/**
 * The body to send to the server. A new object starts with the values of its document. Later, an ignored field that
 * another manager owns is left out. One that no other manager owns is sent with its live value, because the server
 * would remove it if it were left out.
 */
export function forApply(
  desired: KubeObject,
  live: KubeObject | undefined,
  patterns: readonly FieldPattern[],
): KubeObject {
  if (live === undefined || patterns.length === 0) return desired;
  const foreign = foreignPlaces(live);
  let object: unknown = desired;
  for (const { steps } of patterns) {
    const isForeign = foreign.some((place) => meet(steps, place));
    object = changed({ value: object, live: isForeign ? undefined : live }, steps);
  }
  // Patterns cannot match apiVersion, kind, or metadata as a whole.
  return object as KubeObject;
}

function foreignPlaces({ metadata }: KubeObject): (readonly FieldStep[])[] {
  const others = (metadata.managedFields ?? []).filter(({ manager }) => manager !== FIELD_MANAGER);
  return others.flatMap((entry) => placesOf(fieldsOf(entry)));
}

/**
 * Compares the common prefix: the place is below the pattern, or the pattern below the place. Lists without keys count
 * as one value.
 */
function meet(steps: readonly PatternStep[], place: readonly FieldStep[]): boolean {
  return steps.every((step, index) => {
    const its = place[index];
    return its === undefined || fits(step, its);
  });
}

function fits(step: PatternStep, its: FieldStep): boolean {
  if (step.kind === 'any') return true;
  if (step.kind === 'keys') return its.kind === 'key' && namesAll(its.keys, step.keys);
  // A number may stand for an item whose keys are unknown here. Matching one field too many is better than fighting
  // over it.
  return its.kind === 'field' ? its.name === step.name : /^\d+$/.test(step.name);
}

function namesAll(item: JsonObject, keys: Readonly<Record<string, string>>): boolean {
  return Object.entries(keys).every(([name, value]) => plainText(item[name]) === value);
}

/** Keys of items are strings or numbers; both are written without quotes. */
function plainText(value: unknown): string | undefined {
  return typeof value === 'number' ? `${value}` : typeof value === 'string' ? value : undefined;
}

interface Pair {
  readonly value: unknown;
  /** The value the field should get; `undefined` to leave it out. */
  readonly live: unknown;
}

function changed({ value, live }: Pair, steps: readonly PatternStep[]): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return live;
  if (Array.isArray(value)) return changedList({ value, live }, [step, ...rest]);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    if (step.kind === 'keys' || (step.kind === 'name' && step.name !== name)) return [[name, inner]];
    const there = isJsonObject(live) ? live[name] : undefined;
    const next = changed({ value: inner, live: there }, rest);
    return next === undefined ? [] : [[name, next]];
  });
  return Object.fromEntries(entries);
}

function changedList({ value, live }: Pair, steps: readonly PatternStep[]): unknown {
  const [step, ...rest] = steps;
  const items = value as readonly unknown[];
  const there: readonly unknown[] = Array.isArray(live) ? live : [];
  return items.flatMap((item, index) => {
    if (step === undefined || !isMeant(step, item, index)) return [item];
    const next = changed({ value: item, live: counterpart(item, index, there) }, rest);
    return next === undefined ? [] : [next];
  });
}

function isMeant(step: PatternStep, item: unknown, index: number): boolean {
  if (step.kind === 'any') return true;
  if (step.kind === 'name') return step.name === String(index);
  return isJsonObject(item) && namesAll(item, step.keys);
}

/** The schema is unknown here. Nearly all merged lists of objects use `name` as key; others keep their order. */
function counterpart(item: unknown, index: number, there: readonly unknown[]): unknown {
  const name = isJsonObject(item) ? item['name'] : undefined;
  return name === undefined ? there[index] : there.find((other) => hasKeys(other, { name }));
}
