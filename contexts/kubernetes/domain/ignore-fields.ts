import type { JsonObject } from '#kit/std';
import { type FieldStep, hasKeys } from './field-path.ts';
import type { FieldPattern, PatternStep } from './field-pattern.ts';
import { fieldsOf, placesOf } from './field-set.ts';
import { isJsonObject } from './json-value.ts';
import { FIELD_MANAGER, groupOf, type KubeObject } from './kube-object.ts';

/** For all objects of a kind; without `apiGroup`, of any group. */
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

/** For comparing: what is ignored is in neither. */
export function withoutIgnored(object: KubeObject, patterns: readonly FieldPattern[]): KubeObject {
  let rest: unknown = object;
  for (const { steps } of patterns) rest = changed({ value: rest, live: undefined }, steps);
  return rest as KubeObject;
}

/**
 * What is sent to the server. A new object begins with what its document says. Later the field of somebody else is left
 * out; one that nobody has taken yet is sent as it is, since leaving it out would have the server remove it.
 */
export function forApply(
  wanted: KubeObject,
  live: KubeObject | undefined,
  patterns: readonly FieldPattern[],
): KubeObject {
  if (live === undefined || patterns.length === 0) return wanted;
  const foreign = foreignPlaces(live);
  let object: unknown = wanted;
  for (const { steps } of patterns) {
    const isForeign = foreign.some((place) => meet(steps, place));
    object = changed({ value: object, live: isForeign ? undefined : live }, steps);
  }
  // Patterns reach neither apiVersion nor kind, nor metadata as a whole.
  return object as KubeObject;
}

function foreignPlaces({ metadata }: KubeObject): (readonly FieldStep[])[] {
  const others = (metadata.managedFields ?? []).filter(({ manager }) => manager !== FIELD_MANAGER);
  return others.flatMap((entry) => placesOf(fieldsOf(entry)));
}

/** As far as both go: the place is below the pattern, or the pattern below the place. Lists without keys count as whole. */
function meet(steps: readonly PatternStep[], place: readonly FieldStep[]): boolean {
  return steps.every((step, index) => {
    const its = place[index];
    return its === undefined || fits(step, its);
  });
}

function fits(step: PatternStep, its: FieldStep): boolean {
  if (step.kind === 'any') return true;
  if (step.kind === 'keys') return its.kind === 'key' && namesAll(its.keys, step.keys);
  // A number may stand for an item whose keys are not known here: better one field too many than a fight over it.
  return its.kind === 'field' ? its.name === step.name : /^\d+$/.test(step.name);
}

function namesAll(item: JsonObject, keys: Readonly<Record<string, string>>): boolean {
  return Object.entries(keys).every(([name, value]) => plainText(item[name]) === value);
}

/** Keys of items are texts and numbers; people write both without quotes. */
function plainText(value: unknown): string | undefined {
  return typeof value === 'number' ? `${value}` : typeof value === 'string' ? value : undefined;
}

interface Pair {
  readonly value: unknown;
  /** What the field is to be like; `undefined` to have it left out. */
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

/** The schema is not known here. Nearly all lists of objects that are merged go by name; others keep their order. */
function counterpart(item: unknown, index: number, there: readonly unknown[]): unknown {
  const name = isJsonObject(item) ? item['name'] : undefined;
  return name === undefined ? there[index] : there.find((other) => hasKeys(other, { name }));
}
