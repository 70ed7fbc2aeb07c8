import { type Reader, sql } from '#kit/storage';
import { MOVED_PROPERTIES } from '../domain/properties.ts';

export interface MovedProperty {
  readonly property: string;
  /** The setting or command that replaces it. */
  readonly message: string;
  /** Of the targets that still have it, in order. */
  readonly names: readonly string[];
}

/** Properties that people set before they were moved elsewhere: still stored, and read by nothing. Looks at every target. */
export async function movedProperties(reader: Reader, signal: AbortSignal): Promise<readonly MovedProperty[]> {
  const found: MovedProperty[] = [];
  for (const [property, message] of Object.entries(MOVED_PROPERTIES)) {
    signal.throwIfAborted();
    const rows = await reader.all<{ name: string; properties: string }>(
      sql`SELECT name, properties FROM targets WHERE properties LIKE ${`%"${property}"%`} ORDER BY name`,
    );
    // The word may also stand deeper, or be a value.
    const having = rows.filter(({ properties }) => Object.hasOwn(JSON.parse(properties) as object, property));
    if (having.length > 0) found.push({ property, message, names: having.map(({ name }) => name) });
  }
  return found;
}
