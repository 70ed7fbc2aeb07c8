import type { HealthRule } from '#protocol/delivery';
import { judgeHealth, type RuleEvaluator } from '../domain/health/judge-health.ts';
import { type DeploymentHealth, type JudgedObject, rollUp } from '../domain/health/roll-up.ts';
import type { InventoryEntry } from '../domain/inventory.ts';
import { identityOf } from '../domain/kube-object.ts';
import type { ClusterWatch, KindRef, ObservedObject } from './ports.ts';

/** An object that may differ from what was applied. */
export interface DriftCandidate {
  readonly entry: InventoryEntry;
  readonly observedObject: ObservedObject | undefined;
}

export interface Assessment {
  /** Covers only objects that the watch has seen. */
  readonly health: DeploymentHealth;
  readonly candidates: readonly DriftCandidate[];
  /** Kinds whose objects are not all known yet. */
  readonly unsynced: readonly KindRef[];
  /** The watch has caught up with our last writes. */
  readonly isSettled: boolean;
}

export interface AssessOptions {
  readonly entries: readonly InventoryEntry[];
  readonly rules: readonly HealthRule[];
  readonly evaluate: RuleEvaluator;
  readonly watch: Pick<ClusterWatch, 'isSynced' | 'observedObject' | 'dependents'>;
  /** Resource versions after our last writes, by identity. */
  readonly versions: ReadonlyMap<string, string>;
}

/** Computes the state of a deployment from what the watch has seen. */
export function assess({ entries, rules, evaluate, watch, versions }: AssessOptions): Assessment {
  const judged: JudgedObject[] = [];
  const candidates: DriftCandidate[] = [];
  const unsynced = new Map<string, KindRef>();
  let isSettled = true;
  for (const entry of entries) {
    const { key } = entry;
    if (!watch.isSynced(key)) {
      unsynced.set(`${key.apiVersion}/${key.kind}`, { apiVersion: key.apiVersion, kind: key.kind });
      continue;
    }
    const observedObject = watch.observedObject(key);
    const written = versions.get(identityOf(key));
    if (written !== undefined && isBehind(observedObject?.object.metadata.resourceVersion, written)) {
      isSettled = false;
      continue;
    }
    const view = observedObject && { object: observedObject.object, ...watch.dependents(key) };
    judged.push({ key, health: judgeHealth(view, { rules, evaluate }) });
    if (isDriftCandidate(entry, observedObject)) candidates.push({ entry, observedObject });
  }
  return { health: rollUp(judged), candidates, unsynced: [...unsynced.values()], isSettled };
}

/** An object that is being deleted is not drift yet. It becomes drift once it is gone. */
function isDriftCandidate({ uid, held }: InventoryEntry, observedObject: ObservedObject | undefined): boolean {
  if (observedObject === undefined) return true;
  const { metadata } = observedObject.object;
  return metadata.deletionTimestamp === undefined && (metadata.uid !== uid || observedObject.held !== held);
}

/** Resource versions of one server increase. If they are not numeric, the seen version counts as the latest. */
function isBehind(seen: string | undefined, written: string): boolean {
  if (seen === undefined) return true;
  if (!/^\d+$/.test(seen) || !/^\d+$/.test(written)) return false;
  return BigInt(seen) < BigInt(written);
}
