import { type Reader, sql } from '#kit/storage';
import type { WorkspacePolicy } from '../domain/workspace-policy.ts';

export interface PlacedPolicy {
  /** `/root/emea/`: the policy applies to all paths that begin with this. */
  readonly path: string;
  readonly policy: WorkspacePolicy;
}

/** All policies, from the root down. There are few, and an index finds them without a scan. */
export async function workspacePolicies(reader: Reader, signal: AbortSignal): Promise<readonly PlacedPolicy[]> {
  signal.throwIfAborted();
  const rows = await reader.all<{ path: string; policy: string }>(
    sql`SELECT path, policy FROM workspaces WHERE policy IS NOT NULL ORDER BY path`,
  );
  return rows.map(({ path, policy }) => ({ path, policy: JSON.parse(policy) as WorkspacePolicy }));
}
