import type { ApiClient } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';
import { renderItems } from '../output/render-items.ts';
import { grantKind } from './grant-kind.ts';
import type { Kind, Section } from './kind.ts';
import type { Place } from './place.ts';
import { readList } from './read-list.ts';

/** As many as a person reads. */
const SHOWN = 20;

export interface SectionOf {
  readonly api: ApiClient;
  readonly place: Place;
  readonly kind: Kind;
}

/** Some of what is at a place. What the caller may not list is said to be so, and hides nothing else. */
export async function listSection(
  title: string,
  { api, place, kind }: SectionOf,
  signal: AbortSignal,
): Promise<Section> {
  try {
    const { items, more } = await readList(api, { kind, place, limit: SHOWN }, signal);
    if (items.length === 0) return { title, text: 'none\n' };
    const rest = more ? `and more; see them with: fleetshift get ${kind.plural}\n` : '';
    return { title, text: `${renderItems(kind, items, 'table')}${rest}` };
  } catch (error) {
    if (!(error instanceof ClientError) || !['PERMISSION_DENIED', 'NOT_FOUND'].includes(error.code)) throw error;
    return { title, text: 'you may not see them\n' };
  }
}

export async function grantsSection({ api, place }: Omit<SectionOf, 'kind'>, signal: AbortSignal): Promise<Section> {
  return await listSection('Grants on it', { api, place, kind: grantKind }, signal);
}
