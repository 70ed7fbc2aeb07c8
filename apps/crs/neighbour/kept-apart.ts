/** The objects that a manager manages; by default all. */
export interface Scope {
  readonly namespace?: string;
  readonly watchFilter?: string;
}

/** A manager of Cluster API that is, or may be, active. */
export interface Neighbour {
  /** How it was found: `Deployment capi-system/capi-controller-manager`. */
  readonly found: string;
  /** Undefined if its flags cannot be read. */
  readonly scope: Scope | undefined;
  /** Command that stops it, if known. */
  readonly stop?: string;
}

/**
 * Whether no object can be managed by both. A manager without a watch filter also manages objects that carry the label,
 * so both need a filter. If the flags of the other manager cannot be read, our own setting counts: the operator has to
 * keep the other one apart as well.
 */
export function isKeptApart(ours: Scope, { scope }: Neighbour): boolean {
  if (scope === undefined) return ours.namespace !== undefined || ours.watchFilter !== undefined;
  return differ(ours.namespace, scope.namespace) || differ(ours.watchFilter, scope.watchFilter);
}

function differ(ours: string | undefined, theirs: string | undefined): boolean {
  return ours !== undefined && theirs !== undefined && ours !== theirs;
}

/** Tells the operator exactly what to do. */
export function refusalOf({ found, stop }: Neighbour): string {
  return [
    `manage ClusterResourceSets: a Cluster API manager manages the same objects (${found}), and two controllers of one set undo each other's work.`,
    `Either stop it${stop === undefined ? '' : `: ${stop}`}`,
    'or keep them apart by namespace: start it with --namespace=A and fleetshift crs with --namespace=B',
    'or keep them apart by watch filter: start it with --watch-filter=A and fleetshift crs with --watch-filter=B, and give each ClusterResourceSet the label cluster.x-k8s.io/watch-filter with the value of the controller that should manage it.',
    'If it is no longer active, start fleetshift crs with --allow-beside-cluster-api.',
  ].join('\n  ');
}
