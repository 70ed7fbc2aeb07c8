import { parseDuration, StdError } from '#kit/std';

/** What goes beyond Cluster API's controller. All of it is off unless an operator or the set itself asks for it. */
export interface SetOptions {
  /** Server-side apply, instead of a patch that removes whatever the manifest does not say. */
  readonly serverSideApply: boolean;
  /** How often objects are brought back to what the manifest says. */
  readonly driftRepairMs: number | undefined;
  /** Objects that left the manifest are deleted from the cluster. */
  readonly prune: boolean;
  /** ConfigMaps and Secrets stay when the set goes: they are not owned by it. */
  readonly keepResources: boolean;
}

export const NO_OPTIONS: SetOptions = {
  serverSideApply: false,
  driftRepairMs: undefined,
  prune: false,
  keepResources: false,
};

const PREFIX = 'crs.fleetshift.io';
/** More often would be a load on clusters, and no repair. */
const SHORTEST_REPAIR_MS = 10_000;

/** The options of a set: its annotations, and where they say nothing that can be read, those of the operator. */
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
