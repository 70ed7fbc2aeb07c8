import type { ApiClient } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';
import { renderItems } from '../output/render-items.ts';
import { grantKind } from './access/grant-kind.ts';
import type { Kind, Section } from './kind.ts';
import type { Place } from './place.ts';
import { readList } from './read-list.ts';

/** Enough for a person to read. */
const SHOWN = 20;

export interface SectionOf {
  readonly api: ApiClient;
  readonly place: Place;
  readonly kind: Kind;
}

/** Lists some of the resources at a place. If the caller may not list them, the section says so and the others still show. */
export async function listSection(
  title: string,
  { api, place, kind }: SectionOf,
  signal: AbortSignal,
): Promise<Section> {
  try {
    const { items, more } = await readList(api, { kind, place, limit: SHOWN }, signal);
    if (items.length === 0) return { title, text: 'none\n' };
    const rest = more ? `and more; list them with: fleetshift get ${kind.plural}\n` : '';
    return { title, text: `${renderItems(kind, items, 'table')}${rest}` };
  } catch (error) {
    if (!(error instanceof ClientError) || !['PERMISSION_DENIED', 'NOT_FOUND'].includes(error.code)) throw error;
    return { title, text: 'no permission to list them\n' };
  }
}

export async function grantsSection({ api, place }: Omit<SectionOf, 'kind'>, signal: AbortSignal): Promise<Section> {
  return await listSection('Grants on it', { api, place, kind: grantKind }, signal);
}
