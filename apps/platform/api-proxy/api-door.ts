import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  ApiProxyError,
  forwardedHeaders,
  IDENTITY_HEADER,
  identityText,
  type ProxyIdentity,
  StreamBook,
  type StreamKind,
  type StreamLimits,
  statusOf,
  streamKindOf,
} from '#contexts/api-proxy';
import {
  type Forwarding,
  forwardRequest,
  forwardUpgrade,
  responseOn,
  sendStatus,
  statusOfError,
} from '#contexts/api-proxy/adapters';
import type { OpenStreams } from '#kit/http';
import type { Logger } from '#kit/telemetry';
import { cutStream, WatchAnswer } from './cut-stream.ts';
import { type Admitted, DoorAdmission, type DoorAdmissionDeps } from './door-admission.ts';
import type { DoorWatch } from './door-metrics.ts';
import { hostOf, type TunnelAgent, type TunnelTarget } from './tunnel-agent.ts';

export interface ApiDoorDeps extends DoorAdmissionDeps {
  readonly tunnels: TunnelAgent;
  /** Open requests are registered there, and ended when they are no longer allowed. */
  readonly streams: OpenStreams;
  /** `undefined` for a target that does not exist. */
  readonly targetOf: (name: string) => TunnelTarget | undefined;
  /** Brings the index up to date with the stored state of the target. Never rejects. */
  readonly catchUp: (name: string, signal: AbortSignal) => Promise<void>;
  readonly watch: DoorWatch;
  readonly log: Logger;
  readonly limits?: StreamLimits;
}

/** Content from a cluster must not be able to do anything in a browser. */
const ANSWER_HEADERS = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
};
const CHALLENGE = 'Bearer realm="fleetshift"';
/** With these an API server refuses a caller. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403]);
const ADMIT_MS = 30_000;
const CATCH_UP_MS = 1_000;
const KEEP_ALIVE_MS = 30_000;

/** One request, until its connection or its response closes. */
interface Errand {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly isUpgrade: boolean;
  readonly end: Duplex | ServerResponse;
  /** Marks the connection as authenticated. */
  readonly known: () => void;
  /** The status of the response; preset in case that none is ever sent. */
  status: number;
  /** Called when the request is over. */
  readonly afterwards: (() => void)[];
  /** Known once it is admitted; `undefined` for a request that ends by itself. */
  streamKind: StreamKind | undefined;
  /** Its response, if that is a watch. */
  watch: WatchAnswer | undefined;
}

/** `/targets/{target}/api`: streams requests from here to the API server of the target. */
export class ApiDoor {
  readonly #deps: ApiDoorDeps;
  readonly #admission: DoorAdmission;
  readonly #streams: StreamBook;
  readonly #open = new Set<Duplex | ServerResponse>();
  readonly #recording = new Set<Promise<void>>();
  /** The latest response of each connection. */
  readonly #responses = new WeakMap<Duplex, ServerResponse>();
  #isClosed = false;

  constructor(deps: ApiDoorDeps) {
    this.#deps = deps;
    this.#admission = new DoorAdmission(deps);
    this.#streams = new StreamBook(deps.limits);
  }

  get streams(): number {
    return this.#streams.size;
  }

  readonly request = (request: IncomingMessage, response: ServerResponse, known = (): void => {}): void => {
    request.socket.setKeepAlive(true, KEEP_ALIVE_MS);
    this.#responses.set(request.socket, response);
    const errand = this.#begin({ request, end: response, known, isUpgrade: false, status: 200 });
    this.#pass(errand)
      .then((forwarding) => {
        if (!response.destroyed) forwardRequest(request, response, forwarding);
      })
      .catch((error: unknown) => this.#refuse(errand, response, error));
  };

  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer, known = (): void => {}): void => {
    const connection = request.socket;
    connection.setKeepAlive(true, KEEP_ALIVE_MS).setNoDelay(true);
    socket.on('error', () => socket.destroy());
    // An upgrade pipelined behind an unfinished response would mix two responses; and if the body is still to come,
    // Node passes something other than the connection.
    if (socket !== connection || this.#responses.get(connection)?.writableFinished === false) {
      connection.destroy();
      return;
    }
    const errand = this.#begin({ request, end: socket, known, isUpgrade: true, status: 101 });
    this.#pass(errand)
      .then((forwarding) => {
        if (!socket.destroyed) forwardUpgrade({ request, socket, head }, forwarding);
      })
      .catch((error: unknown) => {
        if (!socket.destroyed) this.#refuse(errand, responseOn(request, socket), error);
      });
  };

  /** Accepts no more requests, and ends the open ones: clients reconnect elsewhere. */
  close(): void {
    this.#isClosed = true;
    for (const each of this.#open) each.destroy();
    this.#deps.tunnels.destroy();
  }

  /** Resolves once every refusal is in the audit log, as far as it can be stored. */
  async recorded(): Promise<void> {
    await Promise.all(this.#recording);
  }

  #begin(asked: Omit<Errand, 'id' | 'afterwards' | 'streamKind' | 'watch'>): Errand {
    const { end } = asked;
    const afterwards = [() => void this.#open.delete(end)];
    const errand: Errand = { ...asked, id: randomUUID(), afterwards, streamKind: undefined, watch: undefined };
    this.#open.add(end);
    end.once('close', () => {
      for (const then of errand.afterwards) then();
    });
    return errand;
  }

  async #pass(errand: Errand): Promise<Forwarding> {
    if (this.#isClosed) throw new ApiProxyError('SHUTTING_DOWN', 'This platform is shutting down. Try again.');
    const signal = AbortSignal.timeout(ADMIT_MS);
    const { changes } = this.#deps.streams;
    const admitted = await this.#admission.admit(errand, signal);
    errand.streamKind = streamKindOf(admitted.path);
    const { end, isUpgrade, afterwards } = errand;
    // A caller that is already gone emits no further close event, so what is acquired for it would never be released.
    if (end.destroyed) throw new ApiProxyError('REQUEST_MALFORMED', 'The caller disconnected.');
    const ended = this.#deps.watch.begin({ kind: admitted.kind, isUpgrade });
    afterwards.push(() => ended(errand.status));
    afterwards.push(this.#takeStream(admitted));
    await this.#admission.note(errand, admitted, signal);
    const target = this.#deps.targetOf(admitted.target);
    if (target === undefined) throw unreachable(admitted.target, 'it has just been deleted');
    const forwarding = this.#forwarding(errand, { admitted, target });
    afterwards.push(await this.#register(errand, { admitted, target }, changes));
    return forwarding;
  }

  /** Returns a function that unregisters it. If the request is no longer allowed, its connection is already closed. */
  async #register(errand: Errand, { admitted, target }: Admission, changes: number): Promise<() => void> {
    const { credentials, principal, hasOwnToken, bearer = '' } = admitted;
    return await this.#deps.streams.add(
      {
        kind: errand.streamKind ?? 'apiRequest',
        credentials,
        principal,
        ...(hasOwnToken && { identify: (signal) => this.#deps.authenticateAt(admitted.target, bearer, signal) }),
        isAllowed: async (now, signal) =>
          // A new target with the same name is a different target.
          this.#deps.targetOf(admitted.target)?.uid === target.uid &&
          (await this.#admission.isStillAllowed(admitted, now, signal)),
        end: (why) => cutStream(errand.end, errand.watch, why),
      },
      changes,
    );
  }

  /** Returns the function that releases it. */
  #takeStream({ principal, target }: Admitted): () => void {
    const taken = this.#streams.take(`${principal.kind}:${principal.id}`, target);
    if (taken.kind === 'taken') return taken.release;
    const whose = taken.whose === 'caller' ? 'You have' : 'The target has';
    const message = `${whose} ${taken.most} open requests there, which is the limit. End some of them.`;
    throw new ApiProxyError('TOO_MANY_STREAMS', message, { details: { retryAfterSeconds: 1 } });
  }

  #forwarding(errand: Errand, { admitted, target }: Admission): Forwarding {
    const identity = identityOf(admitted);
    const told = identityText(identity);
    const headers = {
      ...forwardedHeaders(errand.request.rawHeaders),
      host: 'kubernetes',
      'audit-id': admitted.id,
      [IDENTITY_HEADER]: told,
      ...(identity.kind === 'passthrough' && { authorization: `Bearer ${admitted.bearer ?? ''}` }),
    };
    const { path } = admitted;
    const { tunnels } = this.#deps;
    const seal = tunnels.seal({ method: errand.request.method ?? '', path, identity: told });
    return {
      next: { agent: tunnels, host: hostOf(target), path, headers, seal },
      answerHeaders: ANSWER_HEADERS,
      refused: (response, error) => this.#refuse(errand, response, unreachable(admitted.target, error.message, error)),
      intercept: (incoming) => {
        errand.status = incoming.statusCode ?? 0;
        if (REFUSALS.has(errand.status)) this.#recordRefusal(errand, admitted);
        if (errand.streamKind === 'watch') errand.watch = WatchAnswer.of(incoming);
        return false;
      },
      brokenOff: () => this.#brokenOff(errand, admitted.target),
    };
  }

  /** The sink bounds the time that this takes, and never rejects. */
  #recordRefusal(errand: Errand, admitted: Admitted): void {
    const recording = this.#admission.noteRefusal(errand, admitted).finally(() => this.#recording.delete(recording));
    this.#recording.add(recording);
  }

  /** The tunnel of a deleted target may close before its streams are ended, and a watch must still be told why. */
  async #brokenOff({ watch }: Errand, target: string): Promise<void> {
    if (watch === undefined) return;
    await this.#deps.catchUp(target, AbortSignal.timeout(CATCH_UP_MS));
    await this.#deps.streams.settled();
  }

  #refuse(errand: Errand, response: ServerResponse, error: unknown): void {
    const status = statusOfError(error);
    if (status === undefined) {
      const { method, url } = errand.request;
      const path = url?.split('?', 1)[0];
      this.#deps.log.error({ err: error, method, path }, 'request to a target not forwarded');
    }
    const told =
      status ?? statusOf('internal', 'The platform could not forward this request. See its log for the reason.');
    errand.status = told.code;
    sendStatus(response, told, told.code === 401 ? CHALLENGE : undefined);
  }
}

/** An admitted request and its target. */
interface Admission {
  readonly admitted: Admitted;
  readonly target: TunnelTarget;
}

function unreachable(target: string, why: string, cause?: unknown): ApiProxyError {
  const message = `The target ${target} cannot be reached right now: ${why}.`;
  return new ApiProxyError('TARGET_UNREACHABLE', message, { cause, details: { target } });
}

/** A token is passed on only if it is useless anywhere else; all other callers are impersonated. */
function identityOf({ principal, role, hasOwnToken }: Admitted): ProxyIdentity {
  if (hasOwnToken) return { kind: 'passthrough' };
  const { kind, id, groups = [] } = principal;
  return { kind: 'impersonate', user: `${kind}:${id}`, groups, role };
}
