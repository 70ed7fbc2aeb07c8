import type { ApiClient } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';
import { type Resource, schemaOf } from './kind.ts';
import type { Place } from './place.ts';
import { readList } from './read-list.ts';
import type { Thing } from './things.ts';

/** The path of one resource, below `/v1`. */
export function pathOf({ kind, name }: Thing, place: Place): readonly string[] {
  return [...(kind.home?.(place) ?? kind.list(place).path), name];
}

export async function readOne(
  api: ApiClient,
  { kind, name, place }: Thing & { readonly place: Place },
  signal: AbortSignal,
): Promise<Resource> {
  if (!kind.onlyListed) return await api.get(schemaOf(kind), { path: pathOf({ kind, name }, place) }, signal);
  const { items } = await readList(api, { kind, place }, signal);
  const found = items.find((item) => kind.nameOf?.(item) === name);
  if (found !== undefined) return found;
  throw new ClientError('NOT_FOUND', `no ${kind.name} ${name}; see: fleetshift get ${kind.plural}`);
}
