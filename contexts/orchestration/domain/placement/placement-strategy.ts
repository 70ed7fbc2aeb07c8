import type { FieldFault } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { PlacementView } from '../target-view.ts';
import type { Exclusion, Retention } from './exclusion.ts';

/** One of a deployment's placements, as the API takes it. The fields depend on the type, and have passed its schema. */
export type PlacementSpec = { readonly type: string; readonly [field: string]: unknown };

/**
 * The targets of a pool that need to be read, so that a deployment on a few targets of a large workspace does not cost as
 * much as one on all of them. It may include targets that are not chosen, but lacks none that could be.
 */
export type Reach = 'all' | SomeTargets;

/** Those named, and those whose labels have one of the values for each key. */
export interface SomeTargets {
  /** By name or uid. */
  readonly refs: readonly string[];
  /** Absent if no target is reached by its labels. */
  readonly labels?: ReadonlyMap<string, readonly string[]>;
}

/** Selects targets. Strategies are pure: all inputs are in the pool and in the context. */
export interface PlacementStrategy<Spec extends PlacementSpec = PlacementSpec> {
  readonly type: Spec['type'];
  /** `each`: every target is chosen on its own. `among`: targets compete, and one is chosen instead of another. */
  readonly chooses: 'each' | 'among';
  /** All faults that a schema cannot detect. */
  faults(spec: Spec, place: SpecPlace): FieldFault[];
  /** The names of the reported scores that it uses. */
  scores?(spec: Spec): readonly string[];
  /** The targets that it could choose, as far as the spec tells; absent for all. Its choice does not depend on others. */
  reach?(spec: Spec): Reach;
  /**
   * Chooses from the pool, which is sorted by name and holds only targets that may be chosen. An exception means doubt,
   * and keeps the previous set: a strategy that is not certain must throw, never return fewer targets.
   */
  choose(spec: Spec, pool: readonly PlacementView[], context: ChoiceContext): Choice;
}

export interface SpecPlace {
  /** JSON pointer to the spec. */
  readonly at: string;
  /** The targets of the workspace, if the spec is being written. A target that left later is no fault of the spec. */
  readonly pool?: readonly PlacementView[];
}

export interface ChoiceContext {
  /** The targets placed now, including those whose removal is held. */
  readonly previous: ReadonlySet<TargetId>;
  readonly scores: ReportedScores;
  /** How many other deployments each target carries; absent means none. */
  readonly loads?: ReadonlyMap<TargetId, number>;
  readonly now: number;
}

export interface ReportedScore {
  /** From -100 to 100; higher is better. */
  readonly value: number;
  /** When it arrived, by the platform's clock. */
  readonly time: number;
}

/** By target, then by the name of the score. */
export type ReportedScores = ReadonlyMap<TargetId, ReadonlyMap<string, ReportedScore>>;

export interface Choice {
  /** Where `most` is given, the best first. */
  readonly chosen: readonly TargetId[];
  /** No newcomer is placed beyond this number of members, while any that would leave is held. */
  readonly most?: number;
  /** Chosen targets that stay for a reason that users should know. */
  readonly retained?: readonly Retention[];
  /** Why others are not chosen. A placed target that is left out without a reason is `NotSelected`. */
  readonly left?: readonly NotChosen[];
  /** Targets that the spec names and the pool does not have. */
  readonly missing?: readonly string[];
}

/** The reasons that a strategy may give. */
export interface NotChosen extends Exclusion {
  readonly why: 'NotSelected' | 'Outscored' | 'ScoreUnknown';
}
