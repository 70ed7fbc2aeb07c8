import type { TargetId } from '#protocol/targets';
import type { PlacementView } from '../../target-view.ts';
import { createPlacementRegistry } from '../placement-registry.ts';
import type { ReportedScores } from '../placement-strategy.ts';
import type { PlacementContext, Resolution } from '../resolve-placement.ts';

export function idOf(name: string): TargetId {
  return `id-${name}` as TargetId;
}

export function idsOf(...names: readonly string[]): ReadonlySet<TargetId> {
  return new Set(names.map(idOf));
}

export function viewOf(name: string, more: Partial<PlacementView> = {}): PlacementView {
  const usual = { type: 'kubernetes', labels: {}, manifestTypes: [], lifecycle: 'Active' } as const;
  return { id: idOf(name), name, ...usual, ...more };
}

const REGISTRY = createPlacementRegistry();

export const LOCAL = viewOf('local', { type: 'local' });

export function contextOf(more: Partial<PlacementContext> = {}): PlacementContext {
  return { previous: new Set(), scores: new Map(), now: 0, registry: REGISTRY, local: LOCAL, ...more };
}

/** One score per target, by the target's name, reported at `time`. */
export function scoresOf(score: string, values: Readonly<Record<string, number>>, time = 0): ReportedScores {
  return new Map(Object.entries(values).map(([name, value]) => [idOf(name), new Map([[score, { value, time }]])]));
}

/** The names of the targets of a sure resolution. */
export function placedBy(resolution: Resolution): string[] {
  if (resolution.kind === 'unsure') throw new Error(resolution.why);
  return resolution.targets.map((id) => id.slice('id-'.length));
}

/** `name: reason` of the targets that a sure resolution excludes. */
export function excludedBy(resolution: Resolution): string[] {
  if (resolution.kind === 'unsure') throw new Error(resolution.why);
  return resolution.excluded.map(({ id, why }) => `${id.slice('id-'.length)}: ${why}`);
}
