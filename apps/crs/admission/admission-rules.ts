import {
  type InvalidField,
  isEmptySelector,
  selectorFault,
  type WrittenSelector,
} from '#contexts/cluster-resource-sets';
import type { KubeObject } from '#kit/kube';
import { canonicalJson } from '#kit/std';

/** The fields of a ClusterResourceSet that are checked here; the schema checks the rest. */
export interface ResourceSetDocument extends KubeObject {
  readonly spec?: { readonly clusterSelector?: WrittenSelector; readonly strategy?: string };
}

export interface BindingDocument extends KubeObject {
  readonly spec?: { readonly clusterName?: string };
}

const DEFAULT_STRATEGY = 'ApplyOnce';
const IMMUTABLE = 'field is immutable';

/** Adds the default strategy if the set has none. */
export function defaultedSet<T extends ResourceSetDocument>(set: T): T {
  if (set.spec?.strategy) return set;
  return { ...set, spec: { ...set.spec, strategy: DEFAULT_STRATEGY } };
}

export function setFaults(now: ResourceSetDocument, old?: ResourceSetDocument): InvalidField[] {
  const selector = now.spec?.clusterSelector ?? {};
  const strategy = now.spec?.strategy ?? '';
  const field = 'spec.clusterSelector';
  const value = shownSelector(selector);
  const faults: InvalidField[] = [];
  const unreadable = selectorFault(selector);
  if (unreadable !== undefined) faults.push({ field, value, detail: unreadable });
  if (isEmptySelector(selector)) faults.push({ field, value, detail: 'selector must not be empty' });
  if (old === undefined) return faults;
  const before = old.spec?.strategy ?? '';
  if (before !== '' && before !== strategy) {
    faults.push({ field: 'spec.strategy', value: strategy, detail: IMMUTABLE });
  }
  if (!isSameSelector(old.spec?.clusterSelector ?? {}, selector)) faults.push({ field, value, detail: IMMUTABLE });
  return faults;
}

/** A missing name may be set once. */
export function bindingFaults(now: BindingDocument, old?: BindingDocument): InvalidField[] {
  const before = old?.spec?.clusterName ?? '';
  const value = now.spec?.clusterName ?? '';
  return before === '' || before === value ? [] : [{ field: 'spec.clusterName', value, detail: IMMUTABLE }];
}

/** As in Cluster API, reordering expressions counts as a change, and so does an empty map in place of a missing one. */
function isSameSelector(a: WrittenSelector, b: WrittenSelector): boolean {
  return canonicalJson(withoutNulls(a)) === canonicalJson(withoutNulls(b));
}

function withoutNulls({ matchLabels, matchExpressions }: WrittenSelector): object {
  return {
    ...(matchLabels == null ? {} : { matchLabels }),
    ...(matchExpressions == null
      ? {}
      : {
          matchExpressions: matchExpressions.map(({ values, ...rest }) => ({
            ...rest,
            ...(values == null ? {} : { values }),
          })),
        }),
  };
}

/** As Go marshals the struct: fields in its order, labels by name, and no empty fields. */
function shownSelector({ matchLabels, matchExpressions }: WrittenSelector): object {
  const labels = Object.entries(matchLabels ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const expressions = (matchExpressions ?? []).map(({ key, operator, values }) => ({
    key,
    operator,
    ...(values == null || values.length === 0 ? {} : { values }),
  }));
  return {
    ...(labels.length === 0 ? {} : { matchLabels: Object.fromEntries(labels) }),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
  };
}
