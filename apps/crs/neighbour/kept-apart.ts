/** What of the objects somebody looks after; all of them unless it says. */
export interface Scope {
  readonly namespace?: string;
  readonly watchFilter?: string;
}

/** A manager of Cluster API that is, or may be, at work. */
export interface Neighbour {
  /** How it was found: `Deployment capi-system/capi-controller-manager`. */
  readonly found: string;
  /** Undefined where its flags cannot be seen. */
  readonly scope: Scope | undefined;
  /** What stops it, where that is known. */
  readonly stop?: string;
}

/**
 * Whether no object can be looked after by both. A manager without a watch filter looks after what carries one too, so
 * both have to have one. Of a manager whose flags nobody sees, the operator's word counts: it has to be kept apart too.
 */
export function isKeptApart(ours: Scope, { scope }: Neighbour): boolean {
  if (scope === undefined) return ours.namespace !== undefined || ours.watchFilter !== undefined;
  return differ(ours.namespace, scope.namespace) || differ(ours.watchFilter, scope.watchFilter);
}

function differ(ours: string | undefined, theirs: string | undefined): boolean {
  return ours !== undefined && theirs !== undefined && ours !== theirs;
}

/** What is to be done, word for word. */
export function refusalOf({ found, stop }: Neighbour): string {
  return [
    `look after ClusterResourceSets: a Cluster API manager is at work on the same objects (${found}), and two controllers of one set undo each other's work.`,
    `Either stop it${stop === undefined ? '' : `: ${stop}`}`,
    'or keep them apart by namespace: start it with --namespace=A and fleetshift crs with --namespace=B',
    'or keep them apart by watch filter: start it with --watch-filter=A and fleetshift crs with --watch-filter=B, and give each ClusterResourceSet the label cluster.x-k8s.io/watch-filter with the value of the one that shall look after it.',
    'If it is not at work any more, and only seems to be: start fleetshift crs with --allow-beside-cluster-api.',
  ].join('\n  ');
}
