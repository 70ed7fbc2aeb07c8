import type { FieldFault } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { PlacementView } from '../target-view.ts';
import type { Exclusion, Retention } from './exclusion.ts';

/** One of a deployment's placements as its API takes it. The fields are those of its type, and have passed its schema. */
export type PlacementSpec = { readonly type: string; readonly [field: string]: unknown };

/** Where it goes. Strategies are pure: what they need to know is in the pool and in the context. */
export interface PlacementStrategy<Spec extends PlacementSpec = PlacementSpec> {
  readonly type: Spec['type'];
  /** Whether each target is chosen for itself alone, or targets compete so that one is chosen instead of another. */
  readonly chooses: 'each' | 'among';
  /** What a schema cannot see, all of it at once. */
  faults(spec: Spec, place: SpecPlace): FieldFault[];
  /** The names of the reported scores that make a difference to it. */
  scores?(spec: Spec): readonly string[];
  /**
   * Chooses from the pool, which is in the order of names and holds only targets that may be chosen. A throw is doubt,
   * and keeps the previous set: a strategy that does not know must throw, and never answer with less.
   */
  choose(spec: Spec, pool: readonly PlacementView[], context: ChoiceContext): Choice;
}

export interface SpecPlace {
  /** The JSON pointer to the spec. */
  readonly at: string;
  /** The targets of the workspace, when somebody writes the spec. Later on, what has left is no fault of the spec. */
  readonly pool?: readonly PlacementView[];
}

export interface ChoiceContext {
  /** Who is placed now, those included whose removal waits. */
  readonly previous: ReadonlySet<TargetId>;
  readonly scores: ReportedScores;
  /** How many other deployments each target carries; who is not here carries none. */
  readonly loads?: ReadonlyMap<TargetId, number>;
  readonly now: number;
}

export interface ReportedScore {
  /** From -100 to 100; more is better. */
  readonly value: number;
  /** When it arrived, by the platform's clock. */
  readonly time: number;
}

/** By target, then by the name of the score. */
export type ReportedScores = ReadonlyMap<TargetId, ReadonlyMap<string, ReportedScore>>;

export interface Choice {
  readonly chosen: readonly TargetId[];
  /** Of those chosen, who is for a reason that people should know. */
  readonly retained?: readonly Retention[];
  /** Why others are not. A target that was placed and is left out without a word is `NotSelected`. */
  readonly left?: readonly NotChosen[];
  /** What the spec names and the pool does not have. */
  readonly missing?: readonly string[];
}

/** What a strategy can know. The rest is not for it to say. */
export interface NotChosen extends Exclusion {
  readonly why: 'NotSelected' | 'Outscored' | 'ScoreUnknown';
}
