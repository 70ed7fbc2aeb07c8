import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import { isHealthy } from '../../domain/deployment/is-healthy.ts';
import { meetWatchers, tellWatcher } from '../meet-watchers.ts';
import type { DeploymentStore, UnitOfWork } from '../ports.ts';

/**
 * Wraps a store so that rollouts waiting at a gate are notified when the health of the watched deployment changes. It is
 * done here and not by the callers, for the same reason as for groups: one that forgets would leave a rollout waiting
 * forever.
 */
export function tellingWatchers(
  store: DeploymentStore,
  { watches, rollouts }: Pick<UnitOfWork, 'watches' | 'rollouts'>,
): DeploymentStore {
  const telling = { rollouts, deployments: store };
  const seen = new Map<DeploymentId, boolean>();
  const remember = <T extends Deployment | undefined>(deployment: T): T => {
    if (deployment !== undefined) seen.set(deployment.uid, isHealthy(deployment));
    return deployment;
  };
  const rememberAll = (all: readonly Deployment[]): readonly Deployment[] => all.map(remember);
  const tell = async (uid: DeploymentId, isWell: boolean, signal: AbortSignal): Promise<void> => {
    for (const watch of await watches.on(uid, signal)) await tellWatcher(telling, { ...watch, isWell }, signal);
  };
  return {
    find: async (...asked) => remember(await store.find(...asked)),
    get: async (...asked) => remember(await store.get(...asked)),
    getAll: async (...asked) => rememberAll(await store.getAll(...asked)),
    childrenOf: async (...asked) => rememberAll(await store.childrenOf(...asked)),
    inWorkspaces: async (...asked) => rememberAll(await store.inWorkspaces(...asked)),
    insert: async (deployment, signal) => {
      await store.insert(deployment, signal);
      await meetWatchers({ ...telling, watches }, deployment, signal);
    },
    replace: async (next, signal) => {
      await store.replace(next, signal);
      const before = seen.get(next.uid);
      remember(next);
      if (before !== isHealthy(next)) await tell(next.uid, isHealthy(next), signal);
    },
    remove: async (uid, signal) => {
      await store.remove(uid, signal);
      await tell(uid, false, signal);
    },
    wake: (uid, signal) => store.wake(uid, signal),
    hear: (uid, signal) => store.hear(uid, signal),
    isUnderWay: (uid, run, signal) => store.isUnderWay(uid, run, signal),
    rest: (uid, run, signal) => store.rest(uid, run, signal),
  };
}
