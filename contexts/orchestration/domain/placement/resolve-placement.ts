import type { TargetId } from '#protocol/targets';
import type { PlacementView } from '../target-view.ts';
import type { Exclusion, Retention } from './exclusion.ts';
import { placementFaults, selectable } from './placement-faults.ts';
import type { PlacementRegistry } from './placement-registry.ts';
import type { Choice, ChoiceContext, PlacementSpec } from './placement-strategy.ts';

/**
 * The targets that should have a deployment. `unsure` does not mean an empty set: placed targets stay. Lists are sorted,
 * texts stay the same as long as the situation does, and all of it is JSON.
 */
export type Resolution =
  | {
      readonly kind: 'sure';
      readonly targets: readonly TargetId[];
      /** Targets that were placed and no longer are, and targets that would be placed except for their own state. */
      readonly excluded: readonly Exclusion[];
      readonly retained: readonly Retention[];
      /** Targets that a placement names and the workspace does not have, or no longer. */
      readonly missing: readonly string[];
      readonly bound?: Bound;
    }
  | { readonly kind: 'unsure'; readonly why: string };

/** How many members there may be before newcomers wait, and which of the targets come first. */
export interface Bound {
  readonly most: number;
  readonly best: readonly TargetId[];
}

export interface PlacementContext extends ChoiceContext {
  readonly registry: PlacementRegistry;
  /** The platform itself, for `local` only; also needed when it is only in the previous set. */
  readonly local?: PlacementView;
  readonly fits?: ManifestFit;
}

/** The manifest's requirements on a target. An absent field fits all targets. */
export interface ManifestFit {
  readonly targetTypes?: readonly string[];
  /** The target must accept all of these, if it says what it accepts. */
  readonly manifestTypes?: readonly string[];
}

/** Each placement chooses from the choice of the one before it, the first from the pool. Never throws. */
export function resolvePlacement(
  specs: readonly PlacementSpec[],
  pool: readonly PlacementView[],
  context: PlacementContext,
): Resolution {
  try {
    const [fault] = placementFaults(specs, { registry: context.registry });
    if (fault !== undefined) return unsure(`the placement cannot be read: ${fault.path} ${fault.message}`);
    return resolveSurely(specs, pool, context);
  } catch (error) {
    return unsure(`the placement did not resolve: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function resolveSurely(
  specs: readonly PlacementSpec[],
  pool: readonly PlacementView[],
  context: PlacementContext,
): Resolution {
  const [first] = specs;
  const start = first?.type === 'local' ? localPool(context) : selectable(pool).toSorted(byName);
  const end = specs.reduce((sieve, spec) => passed(sieve, spec, context), sieveOf(start, context));
  const targets = new Set(end.open.map((target) => target.id));
  const gone = context.previous.size === 0 ? [] : departed(start, pool, context);
  const known = new Set(pool.flatMap(({ id, name }) => [id, name]));
  return {
    kind: 'sure',
    targets: [...targets].sort(),
    excluded: [...end.barred.map(({ exclusion }) => exclusion), ...end.left, ...gone].sort(byId),
    retained: [...end.retained.filter(({ id }) => targets.has(id)), ...end.open.flatMap(cordonedRetention)].sort(byId),
    missing: [...new Set(end.missing.filter((ref) => !known.has(ref)))].sort(),
    ...(end.bound === undefined ? {} : { bound: end.bound }),
  };
}

/** The targets still in after some of the placements, and what was said about the others. */
interface Sieve {
  readonly open: readonly PlacementView[];
  /** Targets that may not be placed. They go through the placements as well, to be listed if they would be chosen. */
  readonly barred: readonly Barred[];
  readonly left: readonly Exclusion[];
  readonly retained: readonly Retention[];
  readonly missing: readonly string[];
  readonly bound?: Bound;
}

interface Barred {
  readonly target: PlacementView;
  readonly exclusion: Exclusion;
}

function sieveOf(pool: readonly PlacementView[], context: PlacementContext): Sieve {
  const open: PlacementView[] = [];
  const barred: Barred[] = [];
  for (const target of pool) {
    const exclusion = barTo(target, context);
    if (exclusion === undefined) open.push(target);
    else barred.push({ target, exclusion });
  }
  return { open, barred, left: [], retained: [], missing: [] };
}

function barTo(
  { id, type, lifecycle, manifestTypes }: PlacementView,
  context: PlacementContext,
): Exclusion | undefined {
  const { previous, fits = {} } = context;
  if (lifecycle === 'Deprovisioning') return { id, why: 'Deprovisioning', message: 'is being deprovisioned' };
  if (lifecycle === 'Cordoned' && !previous.has(id)) {
    return { id, why: 'Cordoned', message: 'is cordoned, and gets nothing new' };
  }
  if (fits.targetTypes && !fits.targetTypes.includes(type)) {
    return {
      id,
      why: 'UnfitTargetType',
      message: `is of type ${type}; the manifest fits ${fits.targetTypes.join(', ')}`,
    };
  }
  const untaken =
    manifestTypes.length === 0 ? [] : (fits.manifestTypes ?? []).filter((it) => !manifestTypes.includes(it));
  if (untaken.length === 0) return undefined;
  return { id, why: 'UnfitManifestType', message: `does not accept manifests of type ${untaken.join(', ')}` };
}

function passed(sieve: Sieve, spec: PlacementSpec, context: PlacementContext): Sieve {
  const { chosen, choice } = choose(spec, sieve.open, context);
  const left = choice.left?.filter(({ id }) => !chosen.has(id)) ?? [];
  const explained = new Set(left.map(({ id }) => id));
  const unexplained = sieve.open.filter(({ id }) => context.previous.has(id) && !chosen.has(id) && !explained.has(id));
  return {
    open: sieve.open.filter(({ id }) => chosen.has(id)),
    barred: passedBarred(sieve.barred, spec, context),
    left: [...sieve.left, ...left, ...unexplained.map(({ id }) => notSelected(id, spec.type))],
    retained: [...sieve.retained, ...(choice.retained ?? [])],
    missing: [...sieve.missing, ...(choice.missing ?? [])],
    ...boundOf(sieve, choice),
  };
}

/** Each placement narrows the choice of the one before it, so the smallest bound holds; the last ranking counts. */
function boundOf({ bound }: Sieve, { most, chosen }: Choice): Pick<Sieve, 'bound'> {
  if (most !== undefined) return { bound: { most: Math.min(most, bound?.most ?? most), best: chosen } };
  return bound === undefined ? {} : { bound };
}

/**
 * Barred targets that were placed are always listed. If targets compete, it is unknown which others would have won, so
 * all are listed.
 */
function passedBarred(barred: readonly Barred[], spec: PlacementSpec, context: PlacementContext): readonly Barred[] {
  if (context.registry.get(spec.type)?.chooses === 'among') return barred;
  const { chosen } = choose(
    spec,
    barred.map(({ target }) => target),
    context,
  );
  return barred.filter(({ target }) => chosen.has(target.id) || context.previous.has(target.id));
}

interface CheckedChoice {
  readonly choice: Choice;
  readonly chosen: ReadonlySet<TargetId>;
}

/** If a strategy chooses from outside its pool, none of its answer is trusted. */
function choose(spec: PlacementSpec, pool: readonly PlacementView[], context: PlacementContext): CheckedChoice {
  const choice = context.registry.get(spec.type)?.choose(spec, pool, context);
  if (choice === undefined) throw new Error(`unknown placement type ${spec.type}`);
  const inPool = new Set(pool.map((target) => target.id));
  const stranger = choice.chosen.find((id) => !inPool.has(id));
  if (stranger !== undefined) throw new Error(`the placement ${spec.type} chose ${stranger}, which is not in its pool`);
  return { choice, chosen: new Set(choice.chosen) };
}

function localPool({ local }: PlacementContext): readonly PlacementView[] {
  if (local === undefined) throw new Error('the platform is not registered as a target yet');
  return [local];
}

/** Targets that were placed and that no placement was asked about. */
function departed(
  start: readonly PlacementView[],
  pool: readonly PlacementView[],
  { previous, local }: PlacementContext,
): Exclusion[] {
  const asked = new Set(start.map((target) => target.id));
  const known = new Set([...pool, ...(local ? [local] : [])].map((target) => target.id));
  return [...previous]
    .filter((id) => !asked.has(id))
    .map((id) => (known.has(id) ? notSelected(id) : { id, why: 'Gone', message: 'is no longer in the workspace' }));
}

function cordonedRetention({ id, lifecycle }: PlacementView): Retention[] {
  return lifecycle === 'Cordoned' ? [{ id, why: 'Cordoned', message: 'is cordoned, and keeps what it has' }] : [];
}

function notSelected(id: TargetId, type?: string): Exclusion {
  const by = type === undefined ? 'the placement' : `the placement ${type}`;
  return { id, why: 'NotSelected', message: `is not selected by ${by}` };
}

function unsure(why: string): Resolution {
  return { kind: 'unsure', why };
}

function byName(a: PlacementView, b: PlacementView): number {
  return a.name < b.name ? -1 : 1;
}

/** One target may be retained for two reasons. */
function byId(a: Exclusion | Retention, b: Exclusion | Retention): number {
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return a.why < b.why ? -1 : 1;
}
