import { type LabelSelector, matchesSelector, selectorFaults } from '#kit/std';
import type { PlacementStrategy } from './placement-strategy.ts';

export type SelectorPlacement = { readonly type: 'selector' } & Pick<LabelSelector, keyof LabelSelector>;

/**
 * DECISION: an empty selector is refused, although in Kubernetes it selects everything. It is more likely that the labels
 * were forgotten than that the whole fleet is meant; use `all` for that.
 */
export const selectorPlacement: PlacementStrategy<SelectorPlacement> = {
  type: 'selector',
  chooses: 'each',
  faults(spec, { at }) {
    if (isEmpty(spec))
      return [{ path: at, message: 'must have matchLabels or matchExpressions; use all for every target' }];
    return selectorFaults(spec, at);
  },
  reach: (spec) => {
    const labels = valuesIn(spec);
    return labels.size === 0 ? 'all' : { refs: [], labels };
  },
  choose: (spec, pool) => ({
    chosen: pool.filter((target) => matchesSelector(spec, target.labels)).map((target) => target.id),
  }),
};

function isEmpty({ matchLabels = {}, matchExpressions = [] }: SelectorPlacement): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** The values that a label must have one of, by its key. What the other operators require cannot be listed. */
function valuesIn({
  matchLabels = {},
  matchExpressions = [],
}: SelectorPlacement): ReadonlyMap<string, readonly string[]> {
  const listed = matchExpressions.flatMap(({ key, operator, values = [] }) =>
    operator === 'In' ? [[key, values] as const] : [],
  );
  return new Map([...listed, ...Object.entries(matchLabels).map(([key, value]) => [key, [value]] as const)]);
}
