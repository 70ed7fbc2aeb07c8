import { once } from 'node:events';
import type { Agent } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, systemClock } from '#kit/std';
import type { DialGuard } from '#kit/transport/dial';
import { createCredentials } from '../config/create-credentials.ts';
import type { Certificate, Credentials, Identity } from '../config/credentials.ts';
import type { KubeConfig } from '../config/kube-config.ts';
import { MaterialReader } from '../config/material-reader.ts';
import { KubeError } from '../kube-error.ts';
import { dial } from './dial.ts';
import { RawAgent } from './raw-agent.ts';

export interface RawApiOptions {
  readonly config: KubeConfig;
  /** Which addresses may be dialled; all by default. */
  readonly guard?: DialGuard | undefined;
  readonly connectTimeoutMs?: number;
  readonly clock?: Clock;
}

/**
 * `own`: with the credentials of the kubeconfig. `none`: with neither token nor certificate, for a caller that brings
 * its own token: a server that gets a client certificate ignores tokens.
 */
export type RawIdentity = 'own' | 'none';

/** Everything a `node:http` request needs to reach the server. */
export interface RawWay {
  readonly agent: Agent;
  /** `host`, and `authorization` if a token is used. In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The prefix of every path; empty for most servers. */
  readonly root: string;
  /** Reports that the server refused the credentials: the next `way` reads them again. */
  refused(): void;
}

/**
 * Access for forwarding: requests and responses are passed on unchanged, including upgrades, over HTTP/1.1. Connection
 * errors are `KubeError`s, and arrive as the error of the request.
 */
export interface RawApi {
  way(identity: RawIdentity, signal: AbortSignal): Promise<RawWay>;
  /** Cuts all requests in flight. */
  close(): Promise<void>;
}

const CONNECT_MS = 30_000;

/** Nothing is connected, read or run until the first request. */
export function createRawApi(options: RawApiOptions): RawApi {
  if (options.config.impersonate !== undefined) {
    throw new KubeError('CONFIG_UNSUPPORTED', 'forward requests: the kubeconfig itself uses impersonation');
  }
  return new DialedApi(options);
}

class DialedApi implements RawApi {
  readonly #config: KubeConfig;
  readonly #guard: DialGuard | undefined;
  readonly #connectTimeoutMs: number;
  readonly #credentials: Credentials;
  readonly #ca: MaterialReader | undefined;
  readonly #server: URL;
  readonly #closing = new AbortController();
  readonly #sockets = new Set<Duplex>();
  readonly #bare: RawAgent;
  #own: { readonly agent: RawAgent; readonly certificate: Certificate | undefined } | undefined;

  constructor({ config, guard, connectTimeoutMs = CONNECT_MS, clock = systemClock }: RawApiOptions) {
    this.#config = config;
    this.#guard = guard;
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#credentials = createCredentials(config.identity, clock);
    this.#ca = config.ca && new MaterialReader(config.ca, clock);
    this.#server = new URL(config.server);
    this.#bare = this.#newAgent(undefined);
  }

  async way(identity: RawIdentity, signal: AbortSignal): Promise<RawWay> {
    if (this.#closing.signal.aborted) throw new KubeError('CLOSED', 'forward a request: the client is closed');
    const { host, pathname } = this.#server;
    const common = { root: pathname.replace(/\/+$/, '') };
    if (identity === 'none') return { ...common, agent: this.#bare, headers: { host }, refused: () => {} };
    const own = await this.#credentials.current(signal);
    const authorization = own.token && { authorization: `Bearer ${own.token.reveal()}` };
    return {
      ...common,
      agent: this.#under(own),
      headers: { host, ...authorization },
      refused: () => this.#credentials.refused(own),
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const closed = [...this.#sockets].map((socket) => once(socket, 'close'));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  #under({ certificate }: Identity): RawAgent {
    if (this.#own && isSame(this.#own.certificate, certificate)) return this.#own.agent;
    this.#own?.agent.retire();
    const agent = this.#newAgent(certificate);
    this.#own = { agent, certificate };
    return agent;
  }

  #newAgent(certificate: Certificate | undefined): RawAgent {
    return new RawAgent(() => this.#dial(certificate), this.#sockets);
  }

  async #dial(certificate: Certificate | undefined): Promise<Duplex> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(this.#connectTimeoutMs)]);
    const { server, serverName, insecureSkipVerify, proxyUrl } = this.#config;
    try {
      return await dial(
        {
          server: this.#server,
          ca: await this.#ca?.text(signal),
          certificate,
          serverName,
          insecureSkipVerify,
          proxy: proxyUrl === undefined ? undefined : new URL(proxyUrl),
          protocols: ['http/1.1'],
          guard: this.#guard,
        },
        signal,
      );
    } catch (error) {
      if (error instanceof KubeError) throw error;
      if (this.#closing.signal.aborted)
        throw new KubeError('CLOSED', 'forward a request: the client is closed', { cause: error });
      throw new KubeError('CONNECTION_REFUSED', `connect to ${server} within ${this.#connectTimeoutMs} ms`, {
        cause: error,
      });
    }
  }
}

function isSame(one: Certificate | undefined, other: Certificate | undefined): boolean {
  return one === other || (one?.cert === other?.cert && one?.key.reveal() === other?.key.reveal());
}
