import { parseResourceName, parseUuid, type ResourceName, type Uuid } from '#kit/std';
import type { WorkspaceDirectory } from '../application/ports.ts';
import type { Target, TargetPlace } from '../domain/target.ts';

/** For tests of others, who need one that is stored. */
export { insertTarget } from '../adapters/sql-target-store.ts';

/** A cluster in the root, with overrides. */
export function aTarget(its: Partial<Target> = {}): Target {
  return {
    name: parseResourceName('prod-1'),
    uid: uidOf(1),
    type: 'kubernetes',
    workspace: placeAt('/root/'),
    labels: {},
    reportedLabels: {},
    properties: {},
    reportedProperties: {},
    advertisedManifestTypes: [],
    lifecycle: 'Active',
    connection: { state: 'NeverConnected', lastSeenTime: undefined },
    conditions: [],
    generation: 1,
    version: 1,
    createTime: 1_000,
    updateTime: 1_000,
    ...its,
  };
}

/** Ids come from a counter, so that tests can refer to them. */
export function uidOf(number: number): Uuid {
  return parseUuid(`00000000-0000-7000-8000-${String(number).padStart(12, '0')}`);
}

export function uidCounter(): () => Uuid {
  let number = 0;
  return () => uidOf((number += 1));
}

export function named(name: string): ResourceName {
  return parseResourceName(name);
}

/** `/root/emea/` is the path of `emea`. */
export function placeAt(path: string): TargetPlace {
  return { name: parseResourceName(path.split('/').at(-2) ?? ''), path };
}

/** A tree that never changes. */
export function fixedWorkspaces(...paths: readonly string[]): WorkspaceDirectory {
  const places = paths.map(placeAt);
  return {
    places: async (names, signal) => {
      signal.throwIfAborted();
      return places.filter(({ name }) => names.includes(name));
    },
  };
}
