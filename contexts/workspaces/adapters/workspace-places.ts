import { parseResourceName } from '#kit/std';
import { type Reader, sql } from '#kit/storage';
import type { WorkspacePlace } from '../application/ports.ts';

/** The tree as the reader sees it; in a transaction, as that does. */
export function workspacePlaces(reader: Reader) {
  return {
    /** Those of them that are there, in no order. */
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
