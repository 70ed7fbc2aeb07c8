import type { ApplyRules, Resource } from '../kinds/kind.ts';
import { isObject, mergePatch, sameJson } from './merge-patch.ts';

/** What it takes to bring something that is there to what a document says. */
export interface ChangePlan {
  /** What the document wants and nobody can change. */
  readonly fixed: readonly string[];
  /** The body of the verb that moves it, where it has to move. */
  readonly verb: Resource | undefined;
  readonly patch: Resource | undefined;
}

/** A field that the document does not name stays as it is; one that it names becomes just that. */
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
      const change = isWhole ? wholeChange(current[field], value) : mergePatch(current[field], value);
      if (change !== undefined) patch[field] = change;
    }
  }
  return { fixed, verb: moved, patch: Object.keys(patch).length === 0 ? undefined : patch };
}

function wholeChange(current: unknown, wanted: unknown): unknown {
  return sameJson(current ?? null, wanted) ? undefined : wanted;
}

function typeOf(value: unknown): unknown {
  return isObject(value) ? value['type'] : undefined;
}
