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

/** The metadata and keys that the issuer published. */
export interface IssuerFacts {
  readonly metadata: AuthorizationServer;
  readonly keys: ReturnType<typeof createLocalJWKSet>;
  readonly time: number;
}

/** After this age they are refetched in the background. */
const FRESH_MS = 10 * 60_000;
/** After this age they are not used any more: a withdrawn key must stop working even when the issuer is unreachable. */
const MAX_AGE_MS = 60 * 60_000;
/**
 * Minimum time between requests to the issuer, however many tokens with unknown keys arrive and however long it is
 * down.
 */
const COOLDOWN_MS = 10_000;
const NO_SUCH_KEY = errors.JWKSNoMatchingKey;

/** The metadata and keys of one issuer, refreshed as needed. A slow issuer does not delay the others. */
export class IssuerClient {
  readonly #deps: IssuerClientDeps;
  readonly #fetch: IssuerFetch;
  #facts: IssuerFacts | undefined;
  #lastTry: { readonly time: number; readonly error: unknown } | undefined;
  #pending: Promise<void> | undefined;
  /** When an unknown key was last looked up. */
  #lookedForKey = -Infinity;

  constructor(deps: IssuerClientDeps) {
    this.#deps = deps;
    this.#fetch = deps.fetch ?? issuerFetch(deps.issuer, deps.dial);
  }

  /** Options for calls of oauth4webapi. */
  get requestOptions() {
    const isPlain = this.#deps.issuer.url.startsWith('http:');
    // oxlint-disable-next-line typescript/no-deprecated -- Marked so to stand out; an issuer is plain HTTP on loopback only.
    return { [customFetch]: this.#fetch, [allowInsecureRequests]: isPlain };
  }

  /** Throws `ISSUER_UNAVAILABLE` when the issuer cannot be reached and nothing recent enough is cached. */
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

  /**
   * Throws the errors of jose. An unknown key may be new: the keys are refetched once, and the token is verified again.
   */
  async verify(token: string, options: JWTVerifyOptions, signal: AbortSignal): Promise<JWTPayload> {
    const { metadata, keys } = await this.facts(signal);
    const whole = { ...options, issuer: metadata.issuer, currentDate: new Date(this.#deps.clock.now()) };
    try {
      return (await jwtVerify(token, keys, whole)).payload;
    } catch (error) {
      if (!(error instanceof NO_SUCH_KEY)) throw error;
      await this.#lookForKey(signal);
      // Without the issuer, a forger's key cannot be told from a new one.
      if (this.#lastTry?.error !== undefined) throw this.#unavailable();
      if (this.#facts === undefined || this.#facts.keys === keys) throw error;
      return (await jwtVerify(token, this.#facts.keys, whole)).payload;
    }
  }

  /** Has its own cooldown, apart from the ordinary fetch: an issuer may rotate its key right after that. */
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

  /** All waiters share one attempt; an abort by one of them does not end it. */
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
    // An issuer with plain HTTP is on this machine, and its keys must be there too.
    const isPlain = this.#deps.issuer.url.startsWith('http:');
    const isSafe = url?.protocol === 'https:' || (isPlain && url?.protocol === 'http:' && isThisMachine(url.hostname));
    if (url === null || !isSafe) throw new Error('the issuer names no trustworthy URL for its keys');
    const response = await this.#fetch(url.href, { method: 'GET', headers: { accept: 'application/json' } });
    if (response.status !== 200) throw new Error(`the key endpoint answered with status ${response.status}`);
    // createLocalJWKSet validates the shape.
    return (await response.json()) as JSONWebKeySet;
  }

  #unavailable(): IdentityError {
    const { name } = this.#deps.issuer;
    return new IdentityError(
      'ISSUER_UNAVAILABLE',
      `The issuer ${name} cannot be reached, so its tokens cannot be verified right now. Try again in a moment.`,
      { details: { issuer: name }, cause: this.#lastTry?.error },
    );
  }
}
