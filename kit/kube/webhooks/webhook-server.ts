import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { Runnable } from '#kit/reconcile';
import { type Clock, sleep as realSleep, type Sleep, systemClock } from '#kit/std';
import type { Logger, Metrics } from '#kit/telemetry';
import {
  type CertificateFiles,
  readCertificate,
  type ServedCertificate,
  watchCertificate,
} from './certificate-files.ts';
import { refuse, send, serveReview } from './serve-review.ts';
import type { Webhook } from './webhook.ts';
import { WebhookError } from './webhook-error.ts';
import { WebhookMetrics } from './webhook-metrics.ts';

export interface WebhookServerOptions {
  readonly host: string;
  /** 0 picks any free port. */
  readonly port: number;
  readonly certificate: CertificateFiles;
  readonly limits?: Partial<WebhookLimits>;
}

export interface WebhookLimits {
  /** Time limit of a handler. The API server sends its own timeout with each request; the shorter one applies. */
  readonly handlerMs: number;
  /** Until all headers have arrived, and until the whole request has. */
  readonly headersMs: number;
  readonly receiveMs: number;
  /** How long a connection may stay idle: longer than the API server keeps one, so that the API server closes it first. */
  readonly keepAliveMs: number;
  readonly connections: number;
  /** How long a stop waits for requests in flight. */
  readonly drainMs: number;
}

const DEFAULT_WEBHOOK_LIMITS: WebhookLimits = {
  handlerMs: 10_000,
  headersMs: 10_000,
  receiveMs: 30_000,
  keepAliveMs: 120_000,
  connections: 1000,
  drainMs: 10_000,
};

export interface WebhookServerDeps {
  readonly webhooks: readonly Webhook[];
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Throws if the process is not ready; called for `/readyz`. */
  readonly checkReady?: (signal: AbortSignal) => Promise<void>;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
}

/** Serves from `open` on; `run` renews the certificate, and drains the server on a stop. */
export class WebhookServer implements Runnable {
  readonly name = 'webhook server';
  readonly #server: Server;
  readonly #deps: WebhookServerDeps;
  readonly #limits: WebhookLimits;
  readonly #files: CertificateFiles;
  readonly #webhooks: ReadonlyMap<string, Webhook>;
  readonly #metrics: WebhookMetrics;
  readonly #underWay = new Set<Promise<void>>();
  #certificate: ServedCertificate;
  #isDraining = false;

  private constructor(options: WebhookServerOptions, deps: WebhookServerDeps, certificate: ServedCertificate) {
    this.#deps = deps;
    this.#limits = { ...DEFAULT_WEBHOOK_LIMITS, ...options.limits };
    this.#files = options.certificate;
    this.#certificate = certificate;
    this.#webhooks = byPath(deps.webhooks);
    this.#metrics = new WebhookMetrics(deps.metrics, [...this.#webhooks.keys()]);
    this.#server = createServer(serverOptions(certificate, this.#limits), (request, response) => {
      const served = this.#serve(request, response)
        .catch((error: unknown) => void refuse(response, error, deps.log))
        .finally(() => this.#underWay.delete(served));
      this.#underWay.add(served);
    });
    this.#server.maxConnections = this.#limits.connections;
  }

  /** Rejects if the certificate cannot be served or the port is taken. */
  static async open(options: WebhookServerOptions, deps: WebhookServerDeps): Promise<WebhookServer> {
    const certificate = await readCertificate(options.certificate, (deps.clock ?? systemClock).now());
    const webhooks = new WebhookServer(options, deps, certificate);
    const server = webhooks.#server.listen({ host: options.host, port: options.port });
    await once(server, 'listening');
    return webhooks;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock = systemClock, sleep = realSleep, log } = this.#deps;
    const install = (certificate: ServedCertificate): void => {
      this.#server.setSecureContext(secureContext(certificate));
      this.#certificate = certificate;
    };
    const watch = { files: this.#files, serving: this.#certificate, install, clock, sleep, log };
    try {
      await watchCertificate(watch, signal);
    } finally {
      await this.#drain();
    }
  }

  /** Accepts no more connections, waits for requests in flight, and cuts connections at the deadline. */
  async #drain(): Promise<void> {
    this.#isDraining = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const over = new AbortController();
    const deadline = realSleep(this.#limits.drainMs, over.signal).catch(() => undefined);
    await Promise.race([Promise.all(this.#underWay), deadline]);
    over.abort();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#isDraining) response.shouldKeepAlive = false;
    const path = request.url?.split('?')[0] ?? '';
    if (path === '/healthz') return send(response, 200, { status: 'ok' });
    if (path === '/readyz') return await this.#ready(response);
    const webhook = this.#webhooks.get(path);
    const { log } = this.#deps;
    if (webhook) {
      const deps = { handlerMs: this.#limits.handlerMs, metrics: this.#metrics, log };
      return await serveReview(webhook, { request, response }, deps);
    }
    refuse(response, new WebhookError('WEBHOOK_NOT_FOUND', `answer a review: there is no webhook at ${path}`), log);
  }

  async #ready(response: ServerResponse): Promise<void> {
    const reason = await this.#unready();
    if (reason === undefined) return send(response, 200, { status: 'ready' });
    send(response, 503, { status: 'unready', reason });
  }

  async #unready(): Promise<string | undefined> {
    const { clock = systemClock, checkReady, log } = this.#deps;
    if (this.#isDraining) return 'shutting down';
    if (this.#certificate.notAfter <= clock.now()) return 'the certificate has expired';
    try {
      await checkReady?.(AbortSignal.timeout(READY_MS));
      return undefined;
    } catch (err) {
      log.warn({ err }, 'readiness check failed; checking again on the next probe');
      return 'not ready; see the log';
    }
  }
}

const READY_MS = 2_000;
const OWN_PATHS = ['/healthz', '/readyz'];

function byPath(webhooks: readonly Webhook[]): ReadonlyMap<string, Webhook> {
  const known = new Map<string, Webhook>();
  for (const webhook of webhooks) {
    const { path } = webhook;
    if (!path.startsWith('/') || path.includes('?')) throw new RangeError(`a webhook has a path, not "${path}"`);
    if (known.has(path) || OWN_PATHS.includes(path)) throw new RangeError(`the path ${path} is taken`);
    known.set(path, webhook);
  }
  return known;
}

function serverOptions(certificate: ServedCertificate, limits: WebhookLimits): ServerOptions {
  const { headersMs, receiveMs, keepAliveMs } = limits;
  return {
    ...secureContext(certificate),
    handshakeTimeout: headersMs,
    headersTimeout: headersMs,
    requestTimeout: Math.max(receiveMs, headersMs),
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.max(10, Math.min(headersMs, receiveMs) / 4),
  };
}

function secureContext({ chain, key }: ServedCertificate): SecureContextOptions {
  return { cert: chain, key: key.reveal(), minVersion: 'TLSv1.2' };
}
