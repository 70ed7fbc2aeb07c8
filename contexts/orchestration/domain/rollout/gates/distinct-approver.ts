/** Principals of this kind are persons; service accounts, the admin token and the platform itself are not. */
const PERSON = 'user:';

/**
 * Whether an approval by this principal (`kind:id`) comes from a second person.
 *
 * DECISION: only persons qualify. A service account token says nothing about the person who holds it, so a deployer with
 * one could approve their own change.
 */
export function isDistinctApprover(by: string, requesters: readonly string[]): boolean {
  return by.startsWith(PERSON) && !requesters.includes(by);
}
