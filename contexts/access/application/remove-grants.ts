import { AccessError } from '../domain/access-error.ts';
import type { Grant } from '../domain/grant.ts';
import { isSameResource, ROOT } from '../domain/resource-ref.ts';
import type { Subject } from '../domain/subject.ts';
import type { AdminCredentials, GrantCriterion, UnitOfWork } from './ports.ts';

interface Removing {
  readonly unit: UnitOfWork;
  readonly admins: AdminCredentials;
}

const PAGE = 500;

/** Throws `LAST_ADMIN` when no admin could sign in afterwards. */
export async function removeGrants(
  { unit, admins }: Removing,
  { grants, now }: { readonly grants: readonly Grant[]; readonly now: number },
  signal: AbortSignal,
): Promise<void> {
  await checkAdminRemains({ unit, admins }, grants, signal);
  await unit.grants.remove(grants, signal);
  for (const grant of grants) {
    const found = await unit.resources.find(grant.resource, signal);
    const workspace = found?.workspace ?? ROOT.name;
    await unit.events.append([{ type: 'grant.deleted', grant, workspace }], now, signal);
  }
}

/** Deletes the grants on a resource that the caller deletes in the same unit of work. The resource is not the root. */
export async function dropGrantsOn(
  unit: UnitOfWork,
  { uid, workspace, now }: { readonly uid: string; readonly workspace: string; readonly now: number },
  signal: AbortSignal,
): Promise<readonly Grant[]> {
  const grants = await allMatching(unit, { by: 'resource', uid }, signal);
  await unit.grants.remove(grants, signal);
  const deleted = grants.map((grant) => ({ type: 'grant.deleted', grant, workspace }) as const);
  await unit.events.append(deleted, now, signal);
  return grants;
}

/** Deletes the grants to a subject, so that a later subject with the same id does not inherit them. */
export async function dropGrantsTo(
  removing: Removing,
  { subject, now }: { readonly subject: Subject; readonly now: number },
  signal: AbortSignal,
): Promise<readonly Grant[]> {
  const grants = await allMatching(removing.unit, { by: 'subject', subject }, signal);
  await removeGrants(removing, { grants, now }, signal);
  return grants;
}

/**
 * DECISION: the last admin grant on the root cannot be removed unless an admin can sign in without a grant. A group
 * counts as an admin, since only its issuer knows its members. (ADR-0024)
 */
async function checkAdminRemains(
  { unit, admins }: Removing,
  grants: readonly Grant[],
  signal: AbortSignal,
): Promise<void> {
  const last = grants.find(
    ({ resource, gives }) => isSameResource(resource, ROOT) && gives.kind === 'role' && gives.role === 'admin',
  );
  if (last === undefined || (await unit.grants.hasOtherAdmin(last.resource.uid, grants, signal))) return;
  if (await admins.remain(signal)) return;
  throw new AccessError(
    'LAST_ADMIN',
    `Grant ${last.name} belongs to the last admin of the instance; without an admin, no more grants could be made. Grant another subject admin on ${ROOT.name} first.`,
  );
}

export async function allMatching(
  unit: Pick<UnitOfWork, 'search'>,
  criterion: GrantCriterion,
  signal: AbortSignal,
): Promise<Grant[]> {
  const all: Grant[] = [];
  for (;;) {
    const page = await unit.search.matching(criterion, { after: all.at(-1)?.uid, limit: PAGE }, signal);
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
