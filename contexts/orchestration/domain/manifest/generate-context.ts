import { canonicalJson, type Labels } from '#kit/std';
import type { TargetId } from '../target-view.ts';
import { type JsonObject, valueAt } from './json.ts';

/** What a manifest may depend on: the same for every strategy, and nothing else. */
export interface GenerateContext {
  readonly target: GenerateTarget;
  readonly deployment: { readonly uid: string; readonly name: string; readonly workspace: string };
  /** Grows with every rollout: who writes it into a document delivers that document anew each time. */
  readonly revision: number;
  /** Where things go on a target that has such places. */
  readonly namespace: string | undefined;
  /** Of the deployment, for whoever generates. May hold marked secrets. */
  readonly config: JsonObject;
}

/** The full target: more than placement knows. */
export interface GenerateTarget {
  readonly id: TargetId;
  readonly name: string;
  readonly type: string;
  readonly labels: Labels;
  readonly properties: JsonObject;
  readonly manifestTypes: readonly string[];
}

/** What a change of a target can touch. All else of it stays, or makes it another target. */
export type TargetFields = Pick<GenerateTarget, 'labels' | 'properties' | 'manifestTypes'>;

/** Whether a change of a target makes a difference to a manifest that reads these fields of it (JSON pointers). */
export function touches(reads: readonly string[], before: TargetFields, after: TargetFields): boolean {
  const [old, fresh] = [fieldsOf(before), fieldsOf(after)];
  return reads.some((pointer) => textAt(old, pointer) !== textAt(fresh, pointer));
}

function fieldsOf({ labels, properties, manifestTypes }: TargetFields): JsonObject {
  return { labels, properties, manifestTypes };
}

function textAt(fields: JsonObject, pointer: string): string | undefined {
  const value = valueAt(fields, pointer);
  return value === undefined ? undefined : canonicalJson(value);
}
