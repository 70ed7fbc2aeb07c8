import { isJsonObject, mergePatch, sameJson } from '#kit/std';
import type { ApplyRules, Resource } from '../kinds/kind.ts';

/** The requests that bring an existing resource to the state of a document. */
export interface ChangePlan {
  /** Immutable fields that the document wants to change. */
  readonly fixed: readonly string[];
  /** The body of the verb that moves the resource, if it has to move. */
  readonly verb: Resource | undefined;
  readonly patch: Resource | undefined;
}

/** Fields that the document does not name stay unchanged; fields that it names get exactly its value. */
export function planChange(rules: ApplyRules<Resource>, current: Resource, wanted: Resource): ChangePlan {
  const { patched, replaced = [], typed = [], hidden = [], verb } = rules;
  const fixed: string[] = [];
  const patch: Record<string, unknown> = {};
  let moved: Resource | undefined;
  for (const [field, value] of Object.entries(wanted)) {
    if (field === verb?.field) {
      if (current[field] !== value) moved = { [field]: value };
    } else if (!patched.includes(field)) {
      if (!sameJson(current[field] ?? null, value)) fixed.push(field);
    } else if (hidden.includes(field)) {
      patch[field] = value;
    } else {
      const isWhole = replaced.includes(field) || (typed.includes(field) && typeOf(current[field]) !== typeOf(value));
      const change = isWhole ? wholeChange(current[field], value) : changeOf(current[field], value);
      if (change !== undefined) patch[field] = change;
    }
  }
  return { fixed, verb: moved, patch: Object.keys(patch).length === 0 ? undefined : patch };
}

/** The JSON merge patch; `undefined` if the values are equal. */
function changeOf(current: unknown, wanted: unknown): unknown {
  if (!isJsonObject(wanted)) return wholeChange(current, wanted);
  return isJsonObject(current) ? mergePatch(current, wanted) : (mergePatch({}, wanted) ?? {});
}

function wholeChange(current: unknown, wanted: unknown): unknown {
  return sameJson(current ?? null, wanted) ? undefined : wanted;
}

function typeOf(value: unknown): unknown {
  return isJsonObject(value) ? value['type'] : undefined;
}
