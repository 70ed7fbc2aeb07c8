import type { Document } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { newRow } from '../domain/deployment/decide-plan.ts';
import type { Deployment } from '../domain/deployment/deployment.ts';
import { payloadOf } from '../domain/manifest/payload.ts';
import { aPoolTarget } from './a-pool.ts';
import { aRevision } from './a-revision.ts';
import { fingerprint, type HistoryApi, NOW } from './history-api.ts';

export interface InlineDraft {
  readonly name: string;
  readonly manifest: { readonly type: string; readonly documents: readonly Document[] };
}

const signal = new AbortController().signal;

/** A deployment that was rolled out to targets of these names as revision 1, and is available on all of them. */
export async function aRolledOutDeployment(
  api: HistoryApi,
  draft: InlineDraft,
  targets: readonly string[],
): Promise<Deployment> {
  const created = await api.create(draft);
  await api.clear('deployment_triggers');
  const payload = payloadOf(draft.manifest.documents, fingerprint);
  const applied = { revision: 1, hash: payload.hash };
  await api.unit(async (unit) => {
    const key = { deployment: created.uid, revision: 1 };
    await unit.revisions.insert({ ...aRevision(), ...key, spec: created.spec, outcome: 'Succeeded' }, signal);
    await unit.contents.keep([payload], signal);
    await unit.contents.assign(key, new Map(targets.map((name) => [`${name}-uid` as TargetId, payload.hash])), signal);
    const rows = targets.map((name) => newRow(created, aPoolTarget(name), NOW));
    await unit.targets.put(
      rows.map((row) => ({ ...row, applied, health: 'Available' })),
      signal,
    );
    const next = { ...created, revision: 1, observedGeneration: 1, version: created.version + 1 };
    await unit.deployments.replace(next, signal);
  });
  return created;
}
