/** Principals of this kind are persons; service accounts, the admin token and the platform itself are not. */
const PERSON = 'user:';

/**
 * Whether an approval by this principal, as `kind:id`, is that of a second person.
 *
 * DECISION: persons only. A token of a service account says nothing of the person who holds it, so that with one of those a
 * deployer would be two.
 */
export function isDistinctApprover(by: string, requesters: readonly string[]): boolean {
  return by.startsWith(PERSON) && !requesters.includes(by);
}
