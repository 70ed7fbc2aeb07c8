import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from 'oauth4webapi';
import { type Clock, unlessAborted } from '#kit/std';
import { IdentityError } from '../../domain/identity-error.ts';
import { type Issuer, isThisMachine } from '../../domain/issuer.ts';
import { type IssuerDial, type IssuerFetch, issuerFetch } from './issuer-fetch.ts';

export interface IssuerClientDeps {
  readonly issuer: Pick<Issuer, 'name' | 'url' | 'ca'>;
  readonly clock: Clock;
  readonly fetch?: IssuerFetch;
  readonly dial?: IssuerDial | undefined;
}

/** What the issuer said of itself. */
export interface IssuerFacts {
  readonly metadata: AuthorizationServer;
  readonly keys: ReturnType<typeof createLocalJWKSet>;
  readonly time: number;
}

/** Older than this, they are fetched again behind the back of whoever asks. */
const FRESH_MS = 10 * 60_000;
/** Older than this, they are not used any more: a key that leaked and was withdrawn must end, reachable or not. */
const MAX_AGE_MS = 60 * 60_000;
/** However many tokens with unknown keys come, and however long it is away, the issuer is asked only so often. */
const COOLDOWN_MS = 10_000;
const NO_SUCH_KEY = errors.JWKSNoMatchingKey;

/** One issuer from here: its metadata and keys, as fresh as they have to be. Nobody waits for another issuer. */
export class IssuerClient {
  readonly #deps: IssuerClientDeps;
  readonly #fetch: IssuerFetch;
  #facts: IssuerFacts | undefined;
  #lastTry: { readonly time: number; readonly error: unknown } | undefined;
  #pending: Promise<void> | undefined;
  /** When a key that was not known was last looked for. */
  #lookedForKey = -Infinity;

  constructor(deps: IssuerClientDeps) {
    this.#deps = deps;
    this.#fetch = deps.fetch ?? issuerFetch(deps.issuer, deps.dial);
  }

  /** For calls of oauth4webapi. */
  get requestOptions() {
    const isPlain = this.#deps.issuer.url.startsWith('http:');
    // oxlint-disable-next-line typescript/no-deprecated -- Marked so to stand out; an issuer is plain HTTP on loopback only.
    return { [customFetch]: this.#fetch, [allowInsecureRequests]: isPlain };
  }

  /** `ISSUER_UNAVAILABLE` when it cannot be asked and nothing recent enough is known. */
  async facts(signal: AbortSignal): Promise<IssuerFacts> {
    const age = this.#facts === undefined ? Infinity : this.#deps.clock.now() - this.#facts.time;
    if (age >= MAX_AGE_MS) {
      this.#facts = undefined;
      if (!this.#isCoolingDown()) await this.#refetch(signal);
    } else if (age >= FRESH_MS && !this.#isCoolingDown()) {
      this.#refetch(signal).catch(() => {});
    }
    if (this.#facts === undefined) throw this.#unavailable();
    return this.#facts;
  }

  /** Throws what jose throws. A key that is not known may be new: the issuer is asked once, and the token looked at again. */
  async verify(token: string, options: JWTVerifyOptions, signal: AbortSignal): Promise<JWTPayload> {
    const { metadata, keys } = await this.facts(signal);
    const whole = { ...options, issuer: metadata.issuer, currentDate: new Date(this.#deps.clock.now()) };
    try {
      return (await jwtVerify(token, keys, whole)).payload;
    } catch (error) {
      if (!(error instanceof NO_SUCH_KEY)) throw error;
      await this.#lookForKey(signal);
      // Whether the key is a forger's or a new one cannot be told now.
      if (this.#lastTry?.error !== undefined) throw this.#unavailable();
      if (this.#facts === undefined || this.#facts.keys === keys) throw error;
      return (await jwtVerify(token, this.#facts.keys, whole)).payload;
    }
  }

  /** Not counted from the ordinary fetch: an issuer may change its key right after it. */
  async #lookForKey(signal: AbortSignal): Promise<void> {
    const now = this.#deps.clock.now();
    const isPending = this.#pending !== undefined;
    if (!isPending && now - this.#lookedForKey < COOLDOWN_MS) return;
    this.#lookedForKey = now;
    await this.#refetch(signal);
  }

  #isCoolingDown(): boolean {
    if (this.#pending !== undefined) return false;
    return this.#lastTry !== undefined && this.#deps.clock.now() - this.#lastTry.time < COOLDOWN_MS;
  }

  /** All who wait share one try, and one of them who leaves does not end it. */
  async #refetch(signal: AbortSignal): Promise<void> {
    this.#pending ??= this.#tryOnce().finally(() => {
      this.#pending = undefined;
    });
    await unlessAborted(this.#pending, signal);
  }

  async #tryOnce(): Promise<void> {
    const time = this.#deps.clock.now();
    try {
      const metadata = await this.#discover();
      this.#facts = { metadata, keys: createLocalJWKSet(await this.#readKeys(metadata)), time };
      this.#lastTry = { time, error: undefined };
    } catch (error) {
      this.#lastTry = { time, error };
    }
  }

  async #discover(): Promise<AuthorizationServer> {
    const url = new URL(this.#deps.issuer.url);
    const response = await discoveryRequest(url, { algorithm: 'oidc', ...this.requestOptions });
    return await processDiscoveryResponse(url, response);
  }

  async #readKeys({ jwks_uri: address }: AuthorizationServer): Promise<JSONWebKeySet> {
    const url = URL.parse(address ?? '');
    // Plain HTTP is for an issuer on this machine, and no other leads there.
    const isPlain = this.#deps.issuer.url.startsWith('http:');
    const isSafe = url?.protocol === 'https:' || (isPlain && url?.protocol === 'http:' && isThisMachine(url.hostname));
    if (url === null || !isSafe) throw new Error('it names no place of its keys that can be trusted');
    const response = await this.#fetch(url.href, { method: 'GET', headers: { accept: 'application/json' } });
    if (response.status !== 200) throw new Error(`its keys were answered with ${response.status}`);
    // createLocalJWKSet checks that it is one.
    return (await response.json()) as JSONWebKeySet;
  }

  #unavailable(): IdentityError {
    const { name } = this.#deps.issuer;
    return new IdentityError(
      'ISSUER_UNAVAILABLE',
      `The issuer ${name} cannot be reached, so its tokens cannot be judged right now. Try again in a moment.`,
      { details: { issuer: name }, cause: this.#lastTry?.error },
    );
  }
}
