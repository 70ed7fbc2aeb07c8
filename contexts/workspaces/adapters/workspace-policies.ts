import { type Reader, sql } from '#kit/storage';
import type { WorkspacePolicy } from '../domain/workspace-policy.ts';

export interface PlacedPolicy {
  /** `/root/emea/`: it holds for all paths that begin with this. */
  readonly path: string;
  readonly policy: WorkspacePolicy;
}

/** All that there are, from the root down: few, and they are found without a look at other workspaces. */
export async function workspacePolicies(reader: Reader, signal: AbortSignal): Promise<readonly PlacedPolicy[]> {
  signal.throwIfAborted();
  const rows = await reader.all<{ path: string; policy: string }>(
    sql`SELECT path, policy FROM workspaces WHERE policy IS NOT NULL ORDER BY path`,
  );
  return rows.map(({ path, policy }) => ({ path, policy: JSON.parse(policy) as WorkspacePolicy }));
}
