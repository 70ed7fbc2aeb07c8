import type { RolloutMoment } from './rollout-cache.ts';

export interface TurnAnswer {
  readonly isFinished: boolean;
  readonly batch: number | null;
  readonly wakeAt: number | null;
  readonly hasMore: boolean;
}

export const FINISHED: TurnAnswer = { isFinished: true, batch: null, wakeAt: null, hasMore: false };

export function answerOf({ turn, state, last }: RolloutMoment, { hasMore }: Pick<TurnAnswer, 'hasMore'>): TurnAnswer {
  return {
    isFinished: state.phase.kind === 'Finished',
    batch: last?.hasBatch === true ? turn : null,
    wakeAt: state.timer ?? null,
    hasMore,
  };
}
