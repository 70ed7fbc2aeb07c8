import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import { abortedRollout, groupNotices } from '../../domain/group/child-view.ts';
import type { DeploymentStore, GroupStore } from '../ports.ts';

/**
 * Wraps a store so that a group is woken when one of its children, or the group itself, changes in a way that matters to
 * it.
 *
 * DECISION: done here and not by the callers that change deployments. There are many of them, and one that forgets would
 * leave a group waiting forever. It costs a comparison with what the same unit of work has read before.
 */
export function tellingGroups(store: DeploymentStore, groups: Pick<GroupStore, 'wake'>): DeploymentStore {
  const seen = new Map<DeploymentId, Deployment>();
  const remember = <T extends Deployment | undefined>(deployment: T): T => {
    if (deployment !== undefined) seen.set(deployment.uid, deployment);
    return deployment;
  };
  const rememberAll = (all: readonly Deployment[]): readonly Deployment[] => all.map(remember);
  const tell = async (deployment: Deployment, signal: AbortSignal): Promise<void> => {
    if (deployment.owner !== undefined) await groups.wake(deployment.owner.group, signal);
  };

  return {
    find: async (...asked) => remember(await store.find(...asked)),
    get: async (...asked) => remember(await store.get(...asked)),
    getAll: async (...asked) => rememberAll(await store.getAll(...asked)),
    childrenOf: async (...asked) => rememberAll(await store.childrenOf(...asked)),
    inWorkspaces: async (...asked) => rememberAll(await store.inWorkspaces(...asked)),
    insert: async (deployment, signal) => {
      await store.insert(deployment, signal);
      remember(deployment);
    },
    replace: async (next, signal) => {
      const before = seen.get(next.uid);
      await store.replace(next, signal);
      remember(next);
      if (before === undefined || groupNotices(before, next)) await tell(next, signal);
      if (isGroup(next) && isSteered(before, next)) await groups.wake(next.uid, signal);
    },
    remove: async (uid, signal) => {
      const gone = seen.get(uid) ?? (await store.get(uid, signal));
      await store.remove(uid, signal);
      seen.delete(uid);
      if (gone !== undefined) await tell(gone, signal);
      // A group that was abandoned while its children still exist.
      if (gone !== undefined && isGroup(gone)) await groups.wake(uid, signal);
    },
    wake: (uid, signal) => store.wake(uid, signal),
    hear: (uid, signal) => store.hear(uid, signal),
    isUnderWay: (uid, run, signal) => store.isUnderWay(uid, run, signal),
    rest: (uid, run, signal) => store.rest(uid, run, signal),
  };
}

/** Paused, resumed, aborted, or continued after an abort. */
function isSteered(before: Deployment | undefined, next: Deployment): boolean {
  if (before === undefined || before.rolloutState !== next.rolloutState) return true;
  return abortedRollout(before) !== abortedRollout(next);
}

function isGroup({ spec }: Deployment): boolean {
  return spec.manifest.type === 'deploymentGroup';
}
