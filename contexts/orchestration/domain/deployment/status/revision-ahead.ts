import type { DeploymentTarget } from '../deployment-target.ts';
import type { RowChange } from '../reduce-report.ts';

/** How far beyond its own revisions a restored platform follows its agents without being asked. */
const MOST_AHEAD = 10_000;
/** How long after a restore it does so. */
const FOLLOWS_MS = 24 * 3_600_000;
/** No platform counts this far. Revisions above it are never accepted, so that there is always a next one. */
export const HIGHEST_ACCEPTED = 2 ** 40;

/**
 * The highest revision that an agent is believed to have seen. A platform restored from a backup follows its agents
 * within a bound; otherwise every valid revision was issued here.
 */
export function believedRevision(
  { revision }: { readonly revision: number },
  { restoredAt, now }: { readonly restoredAt: number | undefined; readonly now: number },
): number {
  const isRestored = restoredAt !== undefined && now >= restoredAt && now < restoredAt + FOLLOWS_MS;
  return isRestored ? revision + MOST_AHEAD : revision;
}

/** The agent claims a revision that was never issued here. Nothing else in the same report is believed. */
export function reduceAhead(row: DeploymentTarget, seen: number, given: number, now: number): RowChange {
  const { failure, order } = row;
  if (failure?.reason === 'RevisionAhead' && (failure.seen ?? 0) >= seen) return { row, rolloutEvents: [] };
  const message =
    `its agent has seen revision ${seen}, but the last one issued here is ${given}; ` +
    'if this platform lost changes, accept it: fleetshift rollout accept-revision, or POST :acceptRevision';
  const revision = order?.revision ?? given;
  return {
    row: { ...row, failure: { reason: 'RevisionAhead', message, revision, seen }, updateTime: now },
    rolloutEvents: [],
  };
}

/** The same for an agent that refused an order because of it: the order changed nothing. */
export function reduceFencedAhead(row: DeploymentTarget, seen: number, given: number, now: number): RowChange {
  const ahead = reduceAhead({ ...row, failure: undefined }, seen, given, now).row;
  const message = ahead?.failure?.message ?? '';
  return {
    row: ahead && { ...ahead, order: undefined },
    rolloutEvents: [{ kind: 'fenced', target: row.target, message }],
  };
}
