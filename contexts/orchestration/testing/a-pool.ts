import type { TargetId } from '#protocol/targets';
import type { PoolTarget, TargetPool, WorkspaceDirectory } from '../application/ports.ts';
import { isReached } from '../domain/placement/testing/is-reached.ts';
import { LOCAL_TARGET_ID } from '../domain/target-view.ts';

/** An active cluster, except for the given fields. Its uid is its name with `-uid`. */
export function aPoolTarget(name: string, its: Partial<PoolTarget> = {}): PoolTarget {
  return {
    id: `${name}-uid` as TargetId,
    name,
    type: 'kubernetes',
    labels: {},
    properties: {},
    manifestTypes: [],
    lifecycle: 'Active',
    isOnline: true,
    ...its,
  };
}

/** Fixed targets, by the path of their workspace. */
export function fixedPool(targets: Readonly<Record<string, readonly PoolTarget[]>>): TargetPool {
  const all = Object.entries(targets).flatMap(([path, those]) => those.map((target) => ({ path, target })));
  return {
    below: async (workspacePath, reach, signal) => {
      signal.throwIfAborted();
      const below = all.filter(({ path }) => path.startsWith(workspacePath)).map(({ target }) => target);
      return below.filter((target) => isReached(reach, target));
    },
    find: async (ids, signal) => {
      signal.throwIfAborted();
      return all.map(({ target }) => target).filter(({ id }) => ids.includes(id));
    },
    local: aPoolTarget('local', { id: LOCAL_TARGET_ID, type: 'local' }),
  };
}

/** A fixed tree: `/root/emea/` is the path of `emea`. */
export function fixedDirectory(...paths: readonly string[]): WorkspaceDirectory {
  const byName = new Map(paths.map((path) => [path.split('/').at(-2), { path }]));
  return {
    find: async (name, signal) => {
      signal.throwIfAborted();
      return byName.get(name);
    },
  };
}
