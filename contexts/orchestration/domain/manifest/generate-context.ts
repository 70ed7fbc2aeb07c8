import type { JsonObject, Labels } from '#kit/std';
import type { TargetId } from '#protocol/targets';

/** Everything a manifest may depend on: the same for every strategy, and nothing else. */
export interface GenerateContext {
  readonly target: GenerateTarget;
  readonly deployment: { readonly uid: string; readonly name: string; readonly workspace: string };
  /** Increases with every rollout: a document that contains it is delivered again each time. */
  readonly revision: number;
  /** The default namespace, for targets that have namespaces. */
  readonly namespace: string | undefined;
  /** The deployment's config, for its manifest strategy. May hold marked secrets. */
  readonly config: JsonObject;
  /** The result is only shown, as in a preview, and is never delivered. */
  readonly speculative: boolean;
  /** Equal for repeated calls from the same inputs; different once the strategy has announced that its output differs. */
  readonly idempotencyKey: string;
}

/** A target that the content was taken off, or that was deleted with it. */
export interface RemovedContext {
  readonly target: { readonly id: TargetId; readonly name: string; readonly type: string };
  readonly deployment: { readonly uid: string; readonly name: string; readonly workspace: string };
  /** The revision at the time: a call for a later one has generated content for the target again. */
  readonly revision: number;
  /** Equal for every call about the same removal. */
  readonly idempotencyKey: string;
}

/** The full target: more than placement sees. */
export interface GenerateTarget {
  readonly id: TargetId;
  readonly name: string;
  readonly type: string;
  readonly labels: Labels;
  readonly properties: JsonObject;
  readonly manifestTypes: readonly string[];
}
