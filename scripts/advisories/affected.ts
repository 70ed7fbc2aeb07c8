/** The fields of an OSV advisory that are read here. */
export interface Advisory {
  readonly id: string;
  readonly summary?: string;
  /** Set once the advisory turned out to be wrong. */
  readonly withdrawn?: string;
  readonly affected?: readonly {
    readonly package: { readonly ecosystem: string; readonly name: string };
    readonly versions?: readonly string[];
    readonly ranges?: readonly { readonly type: string; readonly events: readonly RangeEvent[] }[];
  }[];
}

interface RangeEvent {
  readonly introduced?: string;
  readonly fixed?: string;
  readonly last_affected?: string;
}

export interface Installed {
  readonly name: string;
  readonly version: string;
}

/** The packages that a lockfile installs, each version once. */
export function installedBy(lockfile: {
  readonly packages: Readonly<Record<string, { readonly name?: string; readonly version?: string }>>;
}): readonly Installed[] {
  const found = new Map<string, Installed>();
  for (const [path, { name = path.split('node_modules/').at(-1) ?? '', version }] of Object.entries(
    lockfile.packages,
  )) {
    if (path !== '' && version !== undefined) found.set(`${name}@${version}`, { name, version });
  }
  return [...found.values()];
}

/** Advisories that apply to an installed package, as `name@version: id`. */
export function hits(advisories: readonly Advisory[], installed: readonly Installed[]): readonly string[] {
  return advisories.flatMap(({ id, summary, withdrawn, affected = [] }) =>
    withdrawn !== undefined
      ? []
      : installed
          .filter(({ name, version }) =>
            affected.some(
              (each) =>
                each.package.ecosystem === 'npm' &&
                each.package.name === name &&
                (each.versions?.includes(version) === true ||
                  each.ranges?.some(({ type, events }) => type === 'SEMVER' && isWithin(version, events)) === true),
            ),
          )
          .map(({ name, version }) => `${name}@${version}: ${id}${summary === undefined ? '' : ` ${summary}`}`),
  );
}

/** Events are sorted by version: the last one at or before this version decides. */
function isWithin(version: string, events: readonly RangeEvent[]): boolean {
  let isAffected = false;
  for (const { introduced, fixed, last_affected: last } of events) {
    if (introduced !== undefined && compareVersions(version, introduced) >= 0) isAffected = true;
    if (fixed !== undefined && compareVersions(version, fixed) >= 0) isAffected = false;
    if (last !== undefined && compareVersions(version, last) > 0) isAffected = false;
  }
  return isAffected;
}

/** Compares by semantic versioning, ignoring build metadata. `0` is before everything. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [a, b].map((version) => version.split('+', 1)[0] ?? '') as [string, string];
  const [core, pre] = [one, other].map((version) => version.split('-', 1)[0] ?? '') as [string, string];
  const byCore = compareParts(core.split('.'), pre.split('.'));
  if (byCore !== 0) return byCore;
  const [preOne, preOther] = [one.slice(core.length + 1), other.slice(pre.length + 1)];
  if (preOne === '' || preOther === '') return Number(preOne === '') - Number(preOther === '');
  return compareParts(preOne.split('.'), preOther.split('.'));
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const [x, y] = [a[at] ?? '0', b[at] ?? '0'];
    const [isX, isY] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (isX && isY && Number(x) !== Number(y)) return Number(x) < Number(y) ? -1 : 1;
    if (isX !== isY) return isX ? -1 : 1;
    if (x !== y && !isX) return x < y ? -1 : 1;
  }
  return 0;
}
