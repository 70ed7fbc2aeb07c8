import type { Stored } from './object-rules.ts';
import { badRequest, expired, Refused } from './refused.ts';
import type { Matches } from './selectors.ts';
import type { FakeStore, Place } from './store.ts';

export interface ListRequest {
  readonly place: Place;
  readonly matches: Matches;
  readonly limit: number;
  readonly token: string;
  readonly version: string;
}

interface Rest {
  readonly version: number;
  readonly items: readonly Stored[];
}

/** Pages of a list show one moment: the remaining items are kept until they are requested, or until `forget`. */
export class Paging {
  readonly #store: FakeStore;
  readonly #rests = new Map<string, Rest>();
  #tokens = 0;

  constructor(store: FakeStore) {
    this.#store = store;
  }

  /** Tokens issued so far become `Expired`. */
  forget(): void {
    this.#rests.clear();
  }

  page(request: ListRequest): object {
    const { resource } = request.place;
    const { items, version } = this.#from(request);
    const limit = request.limit || items.length;
    const rest = items.slice(limit);
    const token = rest.length > 0 ? this.#keep({ version, items: rest }) : undefined;
    return {
      kind: `${resource.kind}List`,
      apiVersion: resource.group === '' ? resource.version : `${resource.group}/${resource.version}`,
      metadata: {
        resourceVersion: String(version),
        ...(token && { continue: token, remainingItemCount: rest.length }),
      },
      // Like the server for its built-in kinds.
      items: items.slice(0, limit).map(withoutKind),
    };
  }

  #from({ place, matches, token, version }: ListRequest): Rest {
    if (token === '') {
      if (Number(version) > this.#store.version) throw new Refused(504, 'Timeout', 'Too large resource version', 1);
      return { version: this.#store.version, items: this.#store.list(place).filter(matches) };
    }
    if (version !== '') throw badRequest('specifying resource version is not allowed when using continue');
    const rest = this.#rests.get(token);
    if (!rest) throw expired('The provided continue parameter is too old to display a consistent list result.');
    return rest;
  }

  #keep(rest: Rest): string {
    this.#tokens += 1;
    const token = `page-${this.#tokens}`;
    this.#rests.set(token, rest);
    return token;
  }
}

function withoutKind(object: Stored): object {
  const { kind: _, apiVersion: __, ...rest } = object;
  return rest;
}
