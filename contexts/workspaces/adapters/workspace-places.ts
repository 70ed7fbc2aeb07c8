import { parseResourceName } from '#kit/std';
import { type Reader, sql } from '#kit/storage';
import type { WorkspacePlace } from '../application/ports.ts';

/** The tree as the reader sees it; in a transaction, with its changes. */
export function workspacePlaces(reader: Reader) {
  return {
    /** The existing ones among these, in any order. */
    async places(names: readonly string[], signal: AbortSignal): Promise<readonly WorkspacePlace[]> {
      signal.throwIfAborted();
      return await placesOf(reader, names);
    },
  };
}

export async function placesOf(reader: Reader, names: readonly string[]): Promise<readonly WorkspacePlace[]> {
  if (names.length === 0) return [];
  const rows = await reader.all<{ name: string; path: string }>(
    sql`SELECT name, path FROM workspaces WHERE name IN (${sql.list(names)})`,
  );
  return rows.map(({ name, path }) => ({ name: parseResourceName(name), path }));
}
