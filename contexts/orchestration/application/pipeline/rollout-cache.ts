import type { Decide } from '../../domain/rollout/machine/decide.ts';
import { openRollout } from '../../domain/rollout/machine/open-rollout.ts';
import type { RolloutState } from '../../domain/rollout/machine/rollout-state.ts';
import type { RolloutKey, RolloutTurn, UnitOfWork } from '../ports.ts';

/** A rollout after one of its turns. */
export interface RolloutMoment {
  /** 0 before the first. */
  readonly turn: number;
  readonly state: RolloutState;
  /** The turn itself, unless there was none. */
  readonly last: Pick<RolloutTurn, 'step' | 'hasBatch'> | undefined;
}

/** Members of all rollouts that are kept; each costs about a kilobyte. */
const MEMBERS = 100_000;

/**
 * States of rollouts, to save working them out. What is kept may be old, never wrong: whoever asks is given what the
 * database says, with only the turns since then worked out.
 */
export class RolloutCache {
  readonly #decide: Decide;
  readonly #moments = new Map<string, RolloutMoment>();
  #members = 0;

  constructor(decide: Decide) {
    this.#decide = decide;
  }

  /** As the unit of work sees it, if it is there. It is not kept: the unit may come to nothing. */
  async load(unit: UnitOfWork, rollout: RolloutKey, signal: AbortSignal): Promise<RolloutMoment | undefined> {
    const known = this.#moments.get(textOf(rollout)) ?? (await stored(unit, rollout, signal));
    if (known === undefined) return undefined;
    const turns = await unit.rollouts.turnsAfter(rollout, known.turn, signal);
    return turns.reduce<RolloutMoment>((moment, turn) => this.#after(moment, turn), known);
  }

  /** What is known to be on disk. */
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
    const next = turn.happenings.reduce((so, happening) => this.#decide(so, happening, turn.time).state, state);
    return { turn: turn.turn, state: next, last: turn };
  }
}

/** The turn of the snapshot itself is looked at once more, for whoever has not heard its answer. */
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
