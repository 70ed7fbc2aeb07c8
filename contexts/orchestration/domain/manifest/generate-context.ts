import type { JsonObject, Labels } from '#kit/std';
import type { TargetId } from '#protocol/targets';

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
