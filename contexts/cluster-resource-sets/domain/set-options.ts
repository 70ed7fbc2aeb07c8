import { parseDuration, StdError } from '#kit/std';

/** Extensions beyond Cluster API's controller. All are off unless the operator or the set enables them. */
export interface SetOptions {
  /** Server-side apply instead of a merge patch that removes all fields the manifest does not have. */
  readonly serverSideApply: boolean;
  /** How often objects are restored to the manifest. */
  readonly driftRepairMs: number | undefined;
  /** Objects that left the manifest are deleted from the cluster. */
  readonly prune: boolean;
  /** ConfigMaps and Secrets stay when the set is deleted, because it does not own them. */
  readonly keepResources: boolean;
}

export const NO_OPTIONS: SetOptions = {
  serverSideApply: false,
  driftRepairMs: undefined,
  prune: false,
  keepResources: false,
};

const PREFIX = 'crs.fleetshift.io';
/** A shorter period would only put load on clusters. */
const SHORTEST_REPAIR_MS = 10_000;

/** The options of a set: its annotations, and the operator's defaults where an annotation is missing or invalid. */
export function setOptions(annotations: Readonly<Record<string, string>>, defaults: SetOptions): SetOptions {
  const flag = (name: string, otherwise: boolean): boolean => {
    const value = annotations[`${PREFIX}/${name}`];
    if (value === 'true') return true;
    return value === 'false' ? false : otherwise;
  };
  return {
    serverSideApply: flag('server-side-apply', defaults.serverSideApply),
    driftRepairMs: repairMs(annotations[`${PREFIX}/drift-repair`], defaults.driftRepairMs),
    prune: flag('prune', defaults.prune),
    keepResources: flag('keep-resources', defaults.keepResources),
  };
}

function repairMs(value: string | undefined, otherwise: number | undefined): number | undefined {
  if (value === undefined) return otherwise;
  if (value === 'off') return undefined;
  try {
    return Math.max(SHORTEST_REPAIR_MS, parseDuration(value));
  } catch (error) {
    if (error instanceof StdError) return otherwise;
    throw error;
  }
}
