import { type Clock, ReadCache } from '#kit/std';
import { type Issuer, isSameUrl } from '../../domain/issuer.ts';
import { IssuerClient } from './issuer-client.ts';
import type { IssuerDial, IssuerFetch } from './issuer-fetch.ts';

export interface IssuerDirectoryDeps {
  /** They are there whatever the database says. */
  readonly configured: readonly Issuer[];
  readonly stored: (signal: AbortSignal) => Promise<readonly Issuer[]>;
  readonly clock: Clock;
  /** For tests; an ordinary one for each issuer otherwise. */
  readonly fetch?: IssuerFetch;
  readonly dial?: IssuerDial;
}

const MAX_AGE_MS = 60_000;

/** Who is believed, by configuration and by the API, and a client for each. */
export class IssuerDirectory {
  readonly #deps: IssuerDirectoryDeps;
  readonly #known: ReadCache<readonly Issuer[]>;
  readonly #clients = new Map<string, IssuerClient>();

  constructor(deps: IssuerDirectoryDeps) {
    this.#deps = deps;
    this.#known = new ReadCache({ clock: deps.clock, entries: 1, maxAgeMs: MAX_AGE_MS });
  }

  /** By name. What the configuration names counts for more than what the database does. */
  async all(signal: AbortSignal): Promise<readonly Issuer[]> {
    const all = await this.#known.get('all', async () => {
      const { configured, stored } = this.#deps;
      const others = (await stored(signal)).filter((issuer) => !configured.some((own) => isSame(own, issuer)));
      return [...configured, ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
    });
    return all ?? [];
  }

  async byName(name: string, signal: AbortSignal): Promise<Issuer | undefined> {
    return (await this.all(signal)).find((issuer) => issuer.name === name);
  }

  /** By what a token says in `iss`. */
  async byUrl(iss: string, signal: AbortSignal): Promise<Issuer | undefined> {
    return (await this.all(signal)).find(({ url }) => isSameUrl(url, iss));
  }

  /** The same one as long as it would be asked in the same way, so that what it knows is not lost by a new display name. */
  client(issuer: Issuer): IssuerClient {
    const key = JSON.stringify([issuer.uid, issuer.url, issuer.ca]);
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const { clock, fetch, dial } = this.#deps;
    const client = new IssuerClient({ issuer, clock, dial, ...(fetch === undefined ? {} : { fetch }) });
    // Clients of issuers that are gone: all are made again when they are asked for.
    if (this.#clients.size >= 1_000) this.#clients.clear();
    this.#clients.set(key, client);
    return client;
  }

  clear(): void {
    this.#known.clear();
  }
}

function isSame(a: Issuer, b: Issuer): boolean {
  return a.name === b.name || isSameUrl(a.url, b.url);
}
