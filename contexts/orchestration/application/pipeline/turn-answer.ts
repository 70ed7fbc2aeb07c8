import type { RolloutMoment } from './rollout-cache.ts';

export interface TurnAnswer {
  readonly isFinished: boolean;
  readonly batch: number | null;
  readonly wakeAt: number | null;
  readonly hasMore: boolean;
}

export const FINISHED: TurnAnswer = { isFinished: true, batch: null, wakeAt: null, hasMore: false };

export interface Rest {
  readonly hasMore: boolean;
  /** When to look again in any case. */
  readonly lookAt: number;
}

export function answerOf({ turn, state, last }: RolloutMoment, { hasMore, lookAt }: Rest): TurnAnswer {
  const wakeAt = Math.min(state.timer ?? Infinity, lookAt);
  return {
    isFinished: state.phase.kind === 'Finished',
    batch: last?.hasBatch === true ? turn : null,
    wakeAt: wakeAt === Infinity ? null : wakeAt,
    hasMore,
  };
}

/** Who asks again may have missed anything: it looks once more at once. */
export const REPEATED = { hasMore: true, lookAt: Infinity };
