import type { Decide } from '../../domain/rollout/machine/decide.ts';
import { openRollout } from '../../domain/rollout/machine/open-rollout.ts';
import type { RolloutState } from '../../domain/rollout/machine/rollout-state.ts';
import type { RolloutKey, RolloutTurn, UnitOfWork } from '../ports.ts';

/** A rollout after one of its turns. */
export interface RolloutMoment {
  /** 0 before the first turn. */
  readonly turn: number;
  readonly state: RolloutState;
  /** The turn itself; `undefined` before the first. */
  readonly last: Pick<RolloutTurn, 'step' | 'hasBatch'> | undefined;
}

/** Limit for the members of all cached rollouts; each costs about a kilobyte. */
const MEMBERS = 100_000;

/**
 * Caches rollout states, to avoid replaying them. An entry may be old but is never wrong: `load` always reads the later
 * turns from the database and replays only those.
 */
export class RolloutCache {
  readonly #decide: Decide;
  readonly #moments = new Map<string, RolloutMoment>();
  #members = 0;

  constructor(decide: Decide) {
    this.#decide = decide;
  }

  /** The state as the unit of work sees it, if it exists. It is not cached: the unit may be rolled back. */
  async load(unit: UnitOfWork, rollout: RolloutKey, signal: AbortSignal): Promise<RolloutMoment | undefined> {
    const known = this.#moments.get(textOf(rollout)) ?? (await stored(unit, rollout, signal));
    if (known === undefined) return undefined;
    const turns = await unit.rollouts.turnsAfter(rollout, known.turn, signal);
    return turns.reduce<RolloutMoment>((moment, turn) => this.#after(moment, turn), known);
  }

  /** Call only with a state that is known to be on disk. */
  put(rollout: RolloutKey, moment: RolloutMoment): void {
    const key = textOf(rollout);
    this.forget(rollout);
    this.#moments.set(key, moment);
    this.#members += moment.state.members.size;
    for (const [oldest, { state }] of this.#moments) {
      if (this.#members <= MEMBERS || oldest === key) return;
      this.#moments.delete(oldest);
      this.#members -= state.members.size;
    }
  }

  forget(rollout: RolloutKey): void {
    const key = textOf(rollout);
    this.#members -= this.#moments.get(key)?.state.members.size ?? 0;
    this.#moments.delete(key);
  }

  #after({ state }: RolloutMoment, turn: RolloutTurn): RolloutMoment {
    const next = turn.rolloutEvents.reduce((so, event) => this.#decide(so, event, turn.time).state, state);
    return { turn: turn.turn, state: next, last: turn };
  }
}

/** Also loads the turn of the snapshot itself, for a caller that repeats it because the answer got lost. */
async function stored(unit: UnitOfWork, rollout: RolloutKey, signal: AbortSignal): Promise<RolloutMoment | undefined> {
  const snapshot = await unit.rollouts.snapshot(rollout, signal);
  if (snapshot !== undefined) {
    const [last] = await unit.rollouts.turnsAfter(rollout, snapshot.turn - 1, signal);
    return { ...snapshot, last };
  }
  const opening = await unit.rollouts.opening(rollout, signal);
  return opening && { turn: 0, state: openRollout(opening.start), last: undefined };
}

function textOf({ deployment, revision }: RolloutKey): string {
  return `${deployment}/${revision}`;
}
