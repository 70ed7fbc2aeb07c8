/** The states of one scenario, by moment. */
export type Course = Readonly<Record<string, unknown>>;

export interface Difference {
  readonly scenario: string;
  /** `moment/sets.web.status.conditions.ResourcesApplied.reason` */
  readonly path: string;
  /** Undefined where there is no such field. */
  readonly upstream: unknown;
  readonly ours: unknown;
}

/** A difference we want. */
export interface IntendedDifference {
  /** The name of the scenario, or `ANYTHING`. */
  readonly scenario: string | typeof ANYTHING;
  readonly path: string | RegExp;
  readonly upstream: unknown;
  readonly ours: unknown;
  /** Upstream is not deterministic here: it may happen to behave as ours does. */
  readonly sometimes?: boolean;
  /** The line of the specification that requires it. */
  readonly wanted: string;
}

/** Matches any value of that side. */
export const ANYTHING = Symbol('anything');

export interface Judgement {
  readonly unintended: readonly Difference[];
  /** Intended differences that were not found. */
  readonly missing: readonly IntendedDifference[];
}

/** Compares field by field, sorted by path. */
export function differences(scenario: string, upstream: Course, ours: Course): Difference[] {
  const [theirs, own] = [fieldsOf(upstream), fieldsOf(ours)];
  const paths = [...new Set([...theirs.keys(), ...own.keys()])].toSorted();
  return paths
    .map((path) => ({ scenario, path, upstream: theirs.get(path), ours: own.get(path) }))
    .filter((it) => it.upstream !== it.ours && !(isOrder(it.path) && hasSameOrder(it)));
}

function isOrder(path: string): boolean {
  return /\.(?:\w+O|o)rder$/.test(path);
}

/** What only one side has is a difference of its own, and none of the order. */
function hasSameOrder({ upstream, ours }: Difference): boolean {
  const [theirs, own] = [upstream, ours].map((list) => (typeof list === 'string' ? list.split(', ') : []));
  const common = (list: readonly string[] = [], other: readonly string[] = []): string =>
    list.filter((name) => other.includes(name)).join();
  return common(theirs, own) === common(own, theirs);
}

/** An intended difference counts as missing only if its scenario was played. */
export function judge(
  found: readonly Difference[],
  intended: readonly IntendedDifference[],
  played: readonly string[],
): Judgement {
  const used = new Set<IntendedDifference>();
  const unintended = found.filter((difference) => {
    const allowing = intended.find((it) => allows(it, difference));
    if (allowing !== undefined) used.add(allowing);
    return allowing === undefined;
  });
  const due = intended.filter(({ scenario, sometimes }) => {
    return (scenario === ANYTHING || played.includes(scenario)) && sometimes !== true;
  });
  return { unintended, missing: due.filter((it) => !used.has(it)) };
}

export function describeJudgement({ unintended, missing }: Judgement): string {
  const text = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
  return [
    ...unintended.map(
      ({ scenario, path, upstream, ours }) =>
        `${scenario}: ${path}\n    upstream ${text(upstream)}\n    ours     ${text(ours)}`,
    ),
    ...missing.map(
      ({ scenario, path }) => `${String(scenario)}: ${path}\n    the intended difference is not there (any more)`,
    ),
  ].join('\n');
}

function allows(intended: IntendedDifference, { scenario, path, upstream, ours }: Difference): boolean {
  const isOf = (wanted: unknown, value: unknown): boolean =>
    wanted === ANYTHING || (wanted instanceof RegExp ? wanted.test(String(value)) : wanted === value);
  const isAt = typeof intended.path === 'string' ? intended.path === path : intended.path.test(path);
  return isOf(intended.scenario, scenario) && isAt && isOf(intended.upstream, upstream) && isOf(intended.ours, ours);
}

function fieldsOf(course: Course): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [moment, snapshot] of Object.entries(course)) collect(snapshot, `${moment}/`, fields);
  return fields;
}

/** Empty objects and lists count as fields too: an absent list is not the same as an empty one. */
function collect(value: unknown, path: string, fields: Map<string, unknown>): void {
  const isNested = typeof value === 'object' && value !== null;
  const inner = isNested ? Object.entries(value).filter(([, it]) => it !== undefined) : [];
  if (!isNested || inner.length === 0) {
    fields.set(path, isNested ? (Array.isArray(value) ? '[]' : '{}') : value);
    return;
  }
  const dot = path.endsWith('/') ? '' : '.';
  for (const [key, it] of inner) collect(it, `${path}${dot}${key}`, fields);
}
