import { parseDuration } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { PlacementView } from '../target-view.ts';
import type { Retention } from './exclusion.ts';
import { type Contender, pickBest } from './pick-best.ts';
import type { ChoiceContext, NotChosen, PlacementStrategy } from './placement-strategy.ts';
import {
  DEFAULT_HYSTERESIS,
  DEFAULT_MAX_SCORE_AGE,
  MAX_SCORE,
  type ScoredPlacement,
  scoredFaults,
  type Weight,
} from './scored-spec.ts';

/**
 * The targets with the highest totals. A placed target stays until another is better by more than the hysteresis, so that
 * noisy scores move nothing.
 *
 * DECISION: a total depends on one target alone and is never scaled by the best or worst of the pool; otherwise one
 * reporter's noise would move all targets. A missing or old score is doubt, which keeps placed targets and adds none: a
 * dead reporter empties nothing.
 */
export const scoredPlacement: PlacementStrategy<ScoredPlacement> = {
  type: 'scored',
  chooses: 'among',
  faults: (spec, { at }) => scoredFaults(spec, at),
  scores: (spec) => reportedWeights(spec).map(({ score }) => score),
  choose(spec, pool, context) {
    const { judged, doubtful } = judge(spec, pool, context);
    const spread = spec.weights.find((weight) => weight.type === 'spread');
    const stays = doubtful.filter(({ target }) => context.previous.has(target.id));
    let chosen = stays.map(({ target }) => target);
    const [cordoned, free] = partition(judged, ({ target }) => target.lifecycle === 'Cordoned');
    // Cordoned targets have the deployment already and keep it, even if others score higher now.
    for (const contenders of [cordoned, free]) {
      chosen = chosen.concat(pickBest(contenders, { slots: spec.top - chosen.length, spread, neighbours: chosen }));
    }
    const ids = new Set(chosen.map((target) => target.id));
    const outscored = judged.filter(({ target, isPlaced }) => isPlaced && !ids.has(target.id));
    return {
      chosen: [...ids],
      most: spec.top,
      retained: stays.map(({ target, missing }) => retention(target.id, missing)),
      left: [
        ...doubtful.filter(({ target }) => !ids.has(target.id)).map((it) => unknownScore(it.target.id, it.missing)),
        ...outscored.map(({ target }) => outscoredBy(target.id, spec.top)),
      ],
    };
  },
};

interface Doubtful {
  readonly target: PlacementView;
  /** The name of the unknown score. */
  readonly missing: string;
}

function judge(spec: ScoredPlacement, pool: readonly PlacementView[], context: ChoiceContext) {
  const judged: Contender[] = [];
  const doubtful: Doubtful[] = [];
  const total = totaller(spec, context);
  for (const target of pool) {
    const worth = total(target.id);
    const isPlaced = context.previous.has(target.id);
    if (typeof worth === 'string') doubtful.push({ target, missing: worth });
    else judged.push({ target, isPlaced, worth: isPlaced ? worth + (spec.hysteresis ?? DEFAULT_HYSTERESIS) : worth });
  }
  return { judged, doubtful };
}

/** The total of each target on its own, or the name of a score that is not known. */
function totaller(spec: ScoredPlacement, { scores, loads, now }: ChoiceContext): (id: TargetId) => number | string {
  const reported = reportedWeights(spec);
  const loadWeight = spec.weights.find((weight) => weight.type === 'load')?.weight ?? 0;
  const oldest = now - parseDuration(spec.maxScoreAge ?? DEFAULT_MAX_SCORE_AGE);
  return (id) => {
    let sum = -loadWeight * (loads?.get(id) ?? 0);
    for (const { score, weight } of reported) {
      const known = scores.get(id)?.get(score);
      if (known === undefined || known.time < oldest || !(Math.abs(known.value) <= MAX_SCORE)) return score;
      sum += weight * known.value;
    }
    return sum;
  };
}

function reportedWeights({ weights }: ScoredPlacement): Extract<Weight, { type: 'reported' }>[] {
  return weights.filter((weight) => weight.type === 'reported');
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  const { first = [], second = [] } = Object.groupBy(items, (item) => (isFirst(item) ? 'first' : 'second'));
  return [first, second];
}

function retention(id: TargetId, score: string): Retention {
  return { id, why: 'ScoreUnknown', message: `stays while its score ${score} is not known` };
}

function unknownScore(id: TargetId, score: string): NotChosen {
  return { id, why: 'ScoreUnknown', message: `its score ${score} was never reported, or too long ago` };
}

function outscoredBy(id: TargetId, top: number): NotChosen {
  return { id, why: 'Outscored', message: `is no longer among the best ${top}` };
}
