import type { Inventory } from '#protocol/delivery';
import { decideGroup } from '../../domain/group/decide-group.ts';
import { LOCAL_TARGET_ID } from '../../domain/target-view.ts';
import type { GroupRecord, UnitOfWork } from '../ports.ts';
import { lookAtGroup } from './look-at-group.ts';

/** All groups on the platform, including those being deleted. Read-only. */
export async function groupHoldings(
  unit: UnitOfWork,
  now: number,
  signal: AbortSignal,
): Promise<Inventory['holdings'][number][]> {
  const holdings: Inventory['holdings'][number][] = [];
  for (const record of await unit.groups.all(signal)) {
    if (isGone(record)) continue;
    const { scene } = await lookAtGroup(unit, record, signal);
    const { health, message } = decideGroup(record.state, scene, now).explanation;
    const revision = await saidRevision(unit, record, signal);
    holdings.push({ deployment: record.group, revision, hash: record.hash, health, message });
  }
  return holdings;
}

/** Only a tombstone is left: a late delivery must not bring the group back. */
export function isGone({ spec, hash }: GroupRecord): boolean {
  return spec === undefined && hash === '';
}

/** The latest revision known to have this content, although only the first of them was delivered. */
export async function saidRevision(unit: UnitOfWork, record: GroupRecord, signal: AbortSignal): Promise<number> {
  const [row] = await unit.targets.some(record.group, [LOCAL_TARGET_ID], signal);
  const isSame = row?.applied !== undefined && row.applied.hash === record.hash;
  return isSame ? Math.max(record.revision, row.applied.revision) : record.revision;
}
