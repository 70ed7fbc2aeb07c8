import type { Caller } from '../domain/asker.ts';
import type { PermittedResource } from '../domain/lookup-access.ts';
import type { AccessDecisions, PermissionLookup } from './ports.ts';

interface Lookup {
  /** Whose permissions. */
  readonly subject: Caller;
  readonly lookup: PermissionLookup;
}

const CHUNK = 500;

/**
 * What somebody else has a permission on, as far as the reader may look there. Goes on until the page is full, so that
 * its length says nothing of what was left out.
 */
export async function lookupFor(
  { decisions, reader }: { decisions: AccessDecisions; reader: Caller },
  { subject, lookup: { permission, after: begin, limit } }: Lookup,
  signal: AbortSignal,
): Promise<PermittedResource[]> {
  const kept: PermittedResource[] = [];
  for (let after = begin; ; ) {
    const chunk = await decisions.lookupPermissions(subject, { permission, after, limit: CHUNK }, signal);
    for (const item of chunk) {
      const question = { permission: 'access.lookup', resource: item.resource };
      if (!(await decisions.check(reader, question, signal)).allowed) continue;
      kept.push(item);
      if (kept.length === limit) return kept;
    }
    if (chunk.length < CHUNK) return kept;
    after = chunk.at(-1)?.resource.name;
  }
}
