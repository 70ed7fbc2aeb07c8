import { parseResourceName } from '#kit/std';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import { abortedRollout, viewChild } from '../../domain/group/child-view.ts';
import { digestGroup } from '../../domain/group/group-document.ts';
import type { GroupScene } from '../../domain/group/group-scene.ts';
import type { GroupRecord, UnitOfWork } from '../ports.ts';

/** How many revisions are searched for one that succeeded. */
const LOOK_BACK = 100;

export interface GroupSight {
  /** The group's own deployment; `undefined` if it was abandoned. */
  readonly deployment: Deployment | undefined;
  readonly scene: GroupScene;
}

/** All inputs of the controller, as the unit of work sees them. A group whose deployment is gone is deleted as well. */
export async function lookAtGroup(unit: UnitOfWork, record: GroupRecord, signal: AbortSignal): Promise<GroupSight> {
  const { group, revision, spec } = record;
  const deployment = await unit.deployments.get(group, signal);
  const children = (await unit.deployments.childrenOf(group, signal)).map(viewChild);
  if (deployment === undefined || spec === undefined) {
    const isPaused = deployment?.rolloutState === 'paused';
    const nothing = { desired: undefined, aborted: undefined, taken: new Set<string>(), lastGood: undefined };
    return { deployment, scene: { ...nothing, isPaused, children } };
  }
  const there = new Set(children.map(({ name }) => name));
  const absent = spec.deployments.map(({ name }) => name).filter((name) => !there.has(name));
  return {
    deployment,
    scene: {
      desired: { revision, spec: digestGroup(spec) },
      isPaused: deployment.rolloutState === 'paused',
      aborted: await abortedOf(unit, { deployment, revision }, signal),
      children,
      taken: await takenOf(unit, { deployment, absent }, signal),
      lastGood: spec.onFailure === 'rollback' ? await lastGoodOf(unit, record, signal) : undefined,
    },
  };
}

/** Pending triggers override an abort: an unpaced rollback ended the rollout, or something else was requested since. */
async function abortedOf(
  unit: UnitOfWork,
  { deployment, revision }: { readonly deployment: Deployment; readonly revision: number },
  signal: AbortSignal,
): Promise<number | undefined> {
  const aborted = abortedRollout(deployment);
  if (aborted === undefined || aborted < revision) return undefined;
  return (await unit.triggers.of(deployment.uid, signal)).length === 0 ? aborted : undefined;
}

async function takenOf(
  unit: UnitOfWork,
  { deployment, absent }: { readonly deployment: Deployment; readonly absent: readonly string[] },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>();
  for (const name of absent) {
    const other = await unit.deployments.find(deployment.workspace.name, parseResourceName(name), signal);
    if (other !== undefined) taken.add(name);
  }
  return taken;
}

async function lastGoodOf(unit: UnitOfWork, record: GroupRecord, signal: AbortSignal): Promise<number | undefined> {
  const range = { deployment: record.group, before: record.revision, limit: LOOK_BACK };
  const revisions = await unit.revisions.page(range, signal);
  return revisions.find(({ outcome }) => outcome === 'Succeeded')?.revision;
}
