import { type Clock, ReadCache } from '#kit/std';
import { type Issuer, isSameUrl } from '../../domain/issuer.ts';
import { IssuerClient } from './issuer-client.ts';
import type { IssuerDial, IssuerFetch } from './issuer-fetch.ts';

export interface IssuerDirectoryDeps {
  /** Set by configuration; independent of the database. */
  readonly configured: readonly Issuer[];
  readonly stored: (signal: AbortSignal) => Promise<readonly Issuer[]>;
  readonly clock: Clock;
  /** For tests; by default an ordinary one per issuer. */
  readonly fetch?: IssuerFetch;
  readonly dial?: IssuerDial;
}

const MAX_AGE_MS = 60_000;

/** The trusted issuers, from configuration and API, with a client for each. */
export class IssuerDirectory {
  readonly #deps: IssuerDirectoryDeps;
  readonly #known: ReadCache<readonly Issuer[]>;
  readonly #clients = new Map<string, IssuerClient>();

  constructor(deps: IssuerDirectoryDeps) {
    this.#deps = deps;
    this.#known = new ReadCache({ clock: deps.clock, entries: 1, maxAgeMs: MAX_AGE_MS });
  }

  /** In the order of names. On a conflict the configuration overrides the database. */
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

  /** Finds the issuer by the `iss` claim of a token. */
  async byUrl(iss: string, signal: AbortSignal): Promise<Issuer | undefined> {
    return (await this.all(signal)).find(({ url }) => isSameUrl(url, iss));
  }

  /**
   * The same client as long as URL and CA stay the same, so that e.g. a new display name does not drop its cached keys.
   */
  client(issuer: Issuer): IssuerClient {
    const key = JSON.stringify([issuer.uid, issuer.url, issuer.ca]);
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const { clock, fetch, dial } = this.#deps;
    const client = new IssuerClient({ issuer, clock, dial, ...(fetch === undefined ? {} : { fetch }) });
    // Mostly clients of deleted issuers; the others are recreated on demand.
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
