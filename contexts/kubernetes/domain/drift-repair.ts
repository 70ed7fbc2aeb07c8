import type { Drift } from './drift.ts';
import { bounded } from './field-conflict.ts';
import { keyText, type ObjectKey } from './kube-object.ts';

/** A repair that was made: of what, against whom, when. */
export interface Repair {
  readonly what: string;
  readonly time: number;
}

export interface RepairPolicy {
  readonly driftPolicy: 'report' | 'repair';
  /** So many repairs of the same field against the same manager within the window, and no more. */
  readonly maxRepairs: number;
  readonly windowMs: number;
}

export interface DriftSituation {
  readonly key: ObjectKey;
  readonly drift: Drift;
  readonly policy: RepairPolicy;
  /** Of this object. */
  readonly repairs: readonly Repair[];
  readonly now: number;
}

export interface DriftStep {
  readonly kind: 'none' | 'report' | 'repair';
  /** For people; empty for `none`. */
  readonly message: string;
  /** To be kept for the next time: bounded by the window, and by the number of repairs of each field. */
  readonly repairs: readonly Repair[];
}

export const USUAL_REPAIRS = { maxRepairs: 3, windowMs: 600_000 } as const;

/**
 * What to do about drift. Whoever changes the same field again and again means it: it is given up to be repaired and told
 * instead, with their name, until the window has passed.
 */
export function driftStep({ key, drift, policy, repairs, now }: DriftSituation): DriftStep {
  const recent = repairs.filter(({ time }) => now - time < policy.windowMs);
  if (drift.kind === 'none') return { kind: 'none', message: '', repairs: recent };
  const message = messageOf(key, drift);
  if (policy.driftPolicy === 'report') return { kind: 'report', message, repairs: recent };
  const reasons = reasonsOf(drift);
  const fought = reasons.filter(
    ({ what }) => recent.filter((repair) => repair.what === what).length >= policy.maxRepairs,
  );
  if (fought.length > 0) {
    const who = [...new Set(fought.map(({ manager }) => manager))].sort().join(', ');
    const how = 'It is no longer repaired: say ignoreFields to leave it to them, or have them leave it';
    return { kind: 'report', message: `${message} ${who} came back each time. ${how}.`, repairs: recent };
  }
  return { kind: 'repair', message, repairs: [...recent, ...reasons.map(({ what }) => ({ what, time: now }))] };
}

function reasonsOf(drift: Exclude<Drift, { kind: 'none' }>): { readonly what: string; readonly manager: string }[] {
  if (drift.kind !== 'changed') return [{ what: drift.kind, manager: 'Somebody' }];
  return drift.fields.map(({ path, manager = 'Somebody' }) => ({ what: `${manager} ${path}`, manager }));
}

function messageOf(key: ObjectKey, drift: Exclude<Drift, { kind: 'none' }>): string {
  if (drift.kind === 'deleted') return `${keyText(key)} was deleted.`;
  if (drift.kind === 'replaced') return `${keyText(key)} was deleted and made anew by somebody else.`;
  const byManager = Map.groupBy(drift.fields, ({ manager = 'somebody' }) => manager);
  const parts = [...byManager]
    .sort(([one], [two]) => (one < two ? -1 : 1))
    .map(([manager, fields]) => `${manager} changed ${bounded(fields.map(({ path }) => path))}`);
  return `${keyText(key)}: ${parts.join('; ')}.`;
}
