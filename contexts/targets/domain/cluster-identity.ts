import type { Uuid } from '#kit/std';
import type { ObservedCondition } from './conditions.ts';
import type { Target } from './target.ts';

/**
 * The known identity of the cluster behind a target. An identity is a claim of its agent, and no proof: it protects a cluster
 * from two agents, and gives no right to anything.
 */
export interface ClusterIdentity {
  /** The identity that the target holds; no other target holds it. */
  readonly held?: string | undefined;
  /** The identity that its agent claimed last, and that another target holds. */
  readonly refused?: string | undefined;
  /** The id that the agent is to store in its cluster, because an administrator has told the two clusters apart. */
  readonly issued?: Uuid | undefined;
}

/**
 * Decides on the identity that an agent claims. The first target that claims it holds it, until it is deleted or claims
 * another one: being disconnected gives nothing away. A refused claim leaves what the target holds.
 */
export function claimIdentity(before: ClusterIdentity, claimed: string, isHeldByOther: boolean): ClusterIdentity {
  if (!isHeldByOther) return { held: claimed };
  const { held, issued } = before;
  return { held, refused: claimed, issued: before.refused === claimed ? issued : undefined };
}

export function isSameIdentity(one: ClusterIdentity, other: ClusterIdentity): boolean {
  return one.held === other.held && one.refused === other.refused && one.issued === other.issued;
}

export interface Merge {
  readonly target: Target;
  readonly into: Target;
  /** The known identities of the clusters of both. */
  readonly identity: ClusterIdentity;
  readonly intoIdentity: ClusterIdentity;
  readonly hasAliases: boolean;
}

/** Why a target cannot be merged into another one. Who asks may administer both. */
export function mergeFault({ target, into, identity, intoIdentity, hasAliases }: Merge): string | undefined {
  if (target.uid === into.uid) return 'A target cannot be merged into itself.';
  if (into.aliasOf !== undefined)
    return `Target ${into.name} is an alias itself: merge into the target that it is an alias of.`;
  if (target.aliasOf !== undefined) return `Target ${target.name} is an alias already: delete it to end that.`;
  if (hasAliases) return `Target ${target.name} has aliases: delete them first.`;
  const [one, other] = [target.workspace.path, into.workspace.path];
  if (!one.startsWith(other) && !other.startsWith(one)) {
    return 'The workspace of one of the two must be that of the other one, or above it.';
  }
  const isSame = identity.refused !== undefined && identity.refused === intoIdentity.held && target.type === into.type;
  return isSame ? undefined : `Target ${target.name} was not refused because of the cluster of ${into.name}.`;
}

const CONDITION = 'ClusterIdentity';

/** Names no other target: the reader may not be allowed to know of it. */
export const SAME_CLUSTER =
  'another target has the same cluster (the same uid of kube-system), so this one is not served. If it is the same cluster, ' +
  'merge this target into the other with "fleetshift target merge", or delete one of the two. If the cluster is a copy of another one, ' +
  'an administrator of this target can tell them apart with "fleetshift target reidentify"';

/** `undefined` if there is nothing to say: a target that never was refused has no such condition. */
export function identityCondition(target: Target, { refused, issued }: ClusterIdentity): ObservedCondition | undefined {
  const its = { type: CONDITION, observedGeneration: target.generation };
  if (refused === undefined) {
    const isKnown = target.conditions.some(({ type }) => type === CONDITION);
    const message = 'No other target has the same cluster.';
    return isKnown ? { ...its, status: 'True', reason: 'Unique', message } : undefined;
  }
  if (issued === undefined)
    return { ...its, status: 'False', reason: 'SameCluster', message: `${capital(SAME_CLUSTER)}.` };
  const message = 'The agent stores an id of its own in the cluster when it registers next.';
  return { ...its, status: 'False', reason: 'Reidentifying', message };
}

/** Its agent serves the other target under this name. */
export function aliasCondition({ generation }: Target): ObservedCondition {
  const message = 'The target is an alias: its agent serves the target in aliasOf.';
  return { type: CONDITION, status: 'True', reason: 'Alias', message, observedGeneration: generation };
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
