import type { Drift } from './drift.ts';
import { bounded } from './field-conflict.ts';
import { keyText, type ObjectKey } from './kube-object.ts';

/** A repair that was made. `what` names the field and the manager it was taken from. */
export interface Repair {
  readonly what: string;
  readonly time: number;
}

export interface RepairPolicy {
  readonly driftPolicy: 'report' | 'repair';
  /** Limit of repairs of one field against one manager within the window. */
  readonly maxRepairs: number;
  readonly windowMs: number;
}

export interface DriftSituation {
  readonly key: ObjectKey;
  readonly drift: Drift;
  readonly policy: RepairPolicy;
  /** Earlier repairs of this object. */
  readonly repairs: readonly Repair[];
  readonly now: number;
}

export interface DriftStep {
  readonly kind: 'none' | 'report' | 'repair';
  /** For people; empty for `none`. */
  readonly message: string;
  /** Repairs to remember, bounded by the window and by the limit per field. */
  readonly repairs: readonly Repair[];
}

export const USUAL_REPAIRS = { maxRepairs: 3, windowMs: 600_000 } as const;

/**
 * Decides what to do about drift. A manager that changes the same field again and again means to: the field is then no
 * longer repaired, but reported with the manager's name until the window has passed.
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
    const how = 'It is no longer repaired: set ignoreFields to leave it to them, or stop them from changing it';
    return {
      kind: 'report',
      message: `${message} ${who} changed it again after each repair. ${how}.`,
      repairs: recent,
    };
  }
  return { kind: 'repair', message, repairs: [...recent, ...reasons.map(({ what }) => ({ what, time: now }))] };
}

function reasonsOf(drift: Exclude<Drift, { kind: 'none' }>): { readonly what: string; readonly manager: string }[] {
  if (drift.kind !== 'changed') return [{ what: drift.kind, manager: 'An unknown client' }];
  return drift.fields.map(({ path, manager = 'An unknown client' }) => ({ what: `${manager} ${path}`, manager }));
}

function messageOf(key: ObjectKey, drift: Exclude<Drift, { kind: 'none' }>): string {
  if (drift.kind === 'deleted') return `${keyText(key)} was deleted.`;
  if (drift.kind === 'replaced') return `${keyText(key)} was deleted and recreated by another client.`;
  const byManager = Map.groupBy(drift.fields, ({ manager = 'an unknown client' }) => manager);
  const parts = [...byManager]
    .sort(([one], [two]) => (one < two ? -1 : 1))
    .map(([manager, fields]) => `${manager} changed ${bounded(fields.map(({ path }) => path))}`);
  return `${keyText(key)}: ${parts.join('; ')}.`;
}
