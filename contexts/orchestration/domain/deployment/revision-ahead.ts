import type { DeploymentTarget } from './deployment-target.ts';
import type { Heard } from './hear-report.ts';

/** How far above its own revisions a restored platform follows what agents have seen, by itself. */
const MOST_AHEAD = 10_000;
/** For so long after a restore. */
const FOLLOWS_MS = 24 * 3_600_000;
/** No platform gets here by counting: a revision above it is not accepted by anybody, so that there is always a next one. */
export const HIGHEST_ACCEPTED = 2 ** 40;

/**
 * The highest revision that an agent is believed to have seen. A platform that was restored from a backup goes on above
 * what agents say, within a bound; every other has given all revisions itself.
 */
export function believedRevision(
  { revision }: { readonly revision: number },
  { restoredAt, now }: { readonly restoredAt: number | undefined; readonly now: number },
): number {
  const isRestored = restoredAt !== undefined && now >= restoredAt && now < restoredAt + FOLLOWS_MS;
  return isRestored ? revision + MOST_AHEAD : revision;
}

/** Its agent says that it has seen what was never given here. Nothing else of what it says so is believed. */
export function hearAhead(row: DeploymentTarget, seen: number, given: number, now: number): Heard {
  const { failure, order } = row;
  if (failure?.reason === 'RevisionAhead' && (failure.seen ?? 0) >= seen) return { row, happenings: [] };
  const message =
    `its agent has seen revision ${seen}, and the last one given here is ${given}; ` +
    'if this platform lost changes, accept it: fleetshift rollout accept-revision, or POST :acceptRevision';
  const revision = order?.revision ?? given;
  return {
    row: { ...row, failure: { reason: 'RevisionAhead', message, revision, seen }, updateTime: now },
    happenings: [],
  };
}

/** The same of an agent that refused what it was sent for that: nothing of it was touched. */
export function hearFencedAhead(row: DeploymentTarget, seen: number, given: number, now: number): Heard {
  const ahead = hearAhead({ ...row, failure: undefined }, seen, given, now).row;
  const message = ahead?.failure?.message ?? '';
  return {
    row: ahead && { ...ahead, order: undefined },
    happenings: [{ kind: 'fenced', target: row.target, message }],
  };
}
