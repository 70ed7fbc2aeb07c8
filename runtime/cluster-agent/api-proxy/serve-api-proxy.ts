import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  ApiProxyError,
  forwardedHeaders,
  type Headers,
  headerIn,
  IDENTITY_HEADER,
  impersonationHeaders,
  type ProxyIdentity,
  parseIdentity,
  requestFault,
  statusOf,
} from '#contexts/api-proxy';
import {
  ByteDuplex,
  type Forwarding,
  forwardRequest,
  forwardUpgrade,
  PROOF_HEADER,
  responseOn,
  sendStatus,
  statusOfError,
  TunnelVerifier,
} from '#contexts/api-proxy/adapters';
import type { LocalClient } from '#contexts/channels';
import type { RawWay } from '#kit/kube';
import type { Logger } from '#kit/telemetry';
import type { ApiCluster } from './api-cluster.ts';

export interface ServeApiProxyDeps {
  readonly client: Pick<LocalClient, 'serveTunnel'>;
  /** Looks up a target by uid for each request; `undefined` if it is not, or no longer, served here. */
  readonly clusterOf: (targetUid: string) => ApiCluster | undefined;
  /** Formats a connection error for the caller; default: the error's message. */
  readonly explain?: ((error: unknown) => string) | undefined;
  readonly log: Logger;
}

/** A user with many groups has long headers. */
const MAX_REQUEST_HEADERS = 512 * 1024;
const WAY_MS = 30_000;
const MIN_KEY_BYTES = 32;

/** A tunnel opened by the platform. A request counts only if the platform authenticated it. */
interface Tunnel {
  readonly target: string;
  readonly verifier: TunnelVerifier;
  /** Whether the previous request was answered completely. */
  isFree: () => boolean;
}

/** A request that the platform has authenticated. */
interface Proved {
  readonly target: string;
  readonly identity: ProxyIdentity;
  /** Headers of every answer to it. */
  readonly answerHeaders: Readonly<Record<string, string>>;
  readonly isUpgrade: boolean;
}

/** Offers the APIs of clusters to the platform, for all targets of a client, until the returned function is called. */
export function serveApiProxy(deps: ServeApiProxyDeps): () => void {
  const tunnels = new Map<Duplex, Tunnel>();
  const served = new ServedApis(deps, tunnels);
  // It never listens: its connections come through tunnels, and the platform decides how long they last.
  const server = createServer({ maxHeaderSize: MAX_REQUEST_HEADERS, keepAliveTimeout: 0, requestTimeout: 0 });
  server.on('request', (request, response) => served.answer(request, response));
  server.on('upgrade', (request, socket, head) => served.upgrade(request, socket, head));
  server.on('clientError', (_error, socket) => socket.destroy());
  const unserve = deps.client.serveTunnel('api', (bytes, { target, key }) => {
    const duplex = new ByteDuplex().over(bytes);
    duplex.on('error', () => {});
    // A platform or fleetlet of an older release sends no key, so the caller cannot be authenticated.
    if (key.length < MIN_KEY_BYTES) {
      duplex.destroy(new Error('the tunnel has no key; upgrade the platform and the fleetlet'));
      return duplex.handlers;
    }
    tunnels.set(duplex, { target, verifier: new TunnelVerifier(key), isFree: () => true });
    duplex.once('close', () => tunnels.delete(duplex));
    server.emit('connection', duplex);
    return duplex.handlers;
  });
  return () => {
    unserve();
    for (const duplex of tunnels.keys()) duplex.destroy();
  };
}

class ServedApis {
  readonly #deps: ServeApiProxyDeps;
  readonly #tunnels: ReadonlyMap<Duplex, Tunnel>;

  constructor(deps: ServeApiProxyDeps, tunnels: ReadonlyMap<Duplex, Tunnel>) {
    this.#deps = deps;
    this.#tunnels = tunnels;
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const proved = this.#prove(request, { isUpgrade: false, isAnswered: () => response.writableEnded });
    if (proved === undefined) return;
    for (const [name, value] of Object.entries(proved.answerHeaders)) response.setHeader(name, value);
    this.#forwarding(request, proved)
      .then((forwarding) => {
        if (!response.destroyed) forwardRequest(request, response, forwarding);
      })
      .catch((error: unknown) => this.#refuse(request, response, error));
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const proved = this.#prove(request, { isUpgrade: true, isAnswered: () => false });
    if (proved === undefined) return;
    this.#forwarding(request, proved)
      .then((forwarding) => {
        if (!socket.destroyed) forwardUpgrade({ request, socket, head }, forwarding);
      })
      .catch((error: unknown) => {
        if (socket.destroyed) return;
        const response = responseOn(request, socket);
        for (const [name, value] of Object.entries(proved.answerHeaders)) response.setHeader(name, value);
        this.#refuse(request, response, error);
      });
  }

  /** Returns `undefined`, and closes the tunnel, if the platform did not send this as the next request on it. */
  #prove(
    request: IncomingMessage,
    { isUpgrade, isAnswered }: { readonly isUpgrade: boolean; readonly isAnswered: () => boolean },
  ): Proved | undefined {
    const { rawHeaders, method = '', url: path = '', socket } = request;
    const tunnel = this.#tunnels.get(socket);
    const told = headerIn(rawHeaders, IDENTITY_HEADER) ?? '';
    const identity = parseIdentity(told);
    const shown = headerIn(rawHeaders, PROOF_HEADER);
    const proof =
      tunnel?.isFree() && !(isUpgrade && !request.complete)
        ? tunnel.verifier.verify(shown, { method, path, identity: told })
        : undefined;
    if (tunnel === undefined || proof === undefined || identity === undefined) {
      const subject = `targets/${tunnel?.target}`;
      this.#deps.log.error({ subject, method }, 'request on a tunnel was not authenticated; tunnel closed');
      socket.destroy();
      return undefined;
    }
    tunnel.isFree = () => request.complete && isAnswered();
    return { target: tunnel.target, identity, answerHeaders: { [PROOF_HEADER]: proof }, isUpgrade };
  }

  async #forwarding(request: IncomingMessage, proved: Proved): Promise<Forwarding> {
    const { target, identity, answerHeaders, isUpgrade } = proved;
    const cluster = this.#deps.clusterOf(target);
    if (cluster === undefined) {
      throw new ApiProxyError('TARGET_UNREACHABLE', 'The agent no longer serves this target. Try again.');
    }
    const { rawHeaders, httpVersion, url: path = '/' } = request;
    const fault = requestFault({ rawHeaders, httpVersion, path, isUpgrade });
    if (fault !== undefined) throw new ApiProxyError('REQUEST_MALFORMED', `The request was not forwarded. ${fault}`);
    const { way, caller } = await this.#wayFor(request, { identity, cluster });
    const headers = { ...forwardedHeaders(rawHeaders), ...auditId(request), ...way.headers, ...caller };
    return {
      next: { agent: way.agent, host: way.headers['host'] ?? '', path: `${way.root}${path}`, headers },
      answerHeaders,
      refused: (response, error) => this.#refuse(request, response, this.#unreachable(error)),
      intercept: (incoming, response) => this.#isRefusedItself(identity, way, incoming) && this.#tell(response),
    };
  }

  /** The requests to the cluster made here may fail like the request itself. */
  async #wayFor(request: IncomingMessage, asking: Caller): Promise<{ way: RawWay; caller: Headers }> {
    const { identity, cluster } = asking;
    const signal = AbortSignal.timeout(WAY_MS);
    try {
      const way = await cluster.api.way(identity.kind === 'passthrough' ? 'none' : 'own', signal);
      return { way, caller: await callerHeaders(request, asking, signal) };
    } catch (error) {
      throw error instanceof ApiProxyError || !(error instanceof Error) ? error : this.#unreachable(error);
    }
  }

  /**
   * By default the message describes a connection of this machine, which helps the caller only if it is the operator.
   */
  #unreachable(error: Error): ApiProxyError {
    const why = this.#deps.explain?.(error) ?? error.message;
    const message = `The agent cannot reach the API server: ${why}.`;
    return new ApiProxyError('SERVER_UNREACHABLE', message, { cause: error });
  }

  /** A 401 for the agent's own credentials is not passed on: the caller could do nothing about it. */
  #isRefusedItself({ kind }: ProxyIdentity, way: RawWay, { statusCode }: IncomingMessage): boolean {
    if (kind === 'passthrough' || statusCode !== 401) return false;
    way.refused();
    return true;
  }

  #tell(response: ServerResponse): true {
    const error = new ApiProxyError('AGENT_REFUSED', "The cluster does not accept the agent's own credentials.");
    this.#deps.log.warn({ err: error }, "API server refused the agent's credentials; proxied requests fail");
    sendStatus(response, statusOf(error.entry.category, error.message));
    return true;
  }

  #refuse({ method, url }: IncomingMessage, response: ServerResponse, error: unknown): void {
    const status = statusOfError(error);
    const path = url?.split('?', 1)[0];
    if (status === undefined) this.#deps.log.error({ err: error, method, path }, 'request forwarding failed');
    sendStatus(response, status ?? statusOf('internal', 'The agent could not forward the request. See its log.'));
  }
}

interface Caller {
  readonly identity: ProxyIdentity;
  readonly cluster: ApiCluster;
}

async function callerHeaders(
  { rawHeaders }: IncomingMessage,
  { identity, cluster }: Caller,
  signal: AbortSignal,
): Promise<Headers> {
  if (identity.kind === 'impersonate') {
    return inBytes(impersonationHeaders(identity, await cluster.impersonation(signal)));
  }
  const authorization = headerIn(rawHeaders, 'authorization');
  if (authorization === undefined) {
    throw new ApiProxyError('REQUEST_MALFORMED', "The platform did not forward the caller's own token.");
  }
  return { authorization };
}

/** The cluster's audit log uses the platform's id of the request. */
function auditId({ rawHeaders }: IncomingMessage): Record<string, string> {
  const id = headerIn(rawHeaders, 'audit-id');
  return id === undefined ? {} : { 'audit-id': id };
}

/** Node writes one byte per header character, and Kubernetes reads UTF-8. */
function inBytes(headers: Headers): Headers {
  const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? bytes(value) : value.map(bytes)]),
  );
}
