import type { ControlReply, ControlRequest, TargetClaim } from '../../domain/control-message.ts';
import type { OpenFrame } from '../../domain/frame.ts';
import type { Admission } from '../acceptor.ts';
import type { Inbound } from '../channel.ts';
import type { FleetletSession } from './fleetlet-session.ts';
import type { HubFact } from './ports.ts';
import type { TargetDesk } from './target-desk.ts';

/** Codec between the bytes on `control` and the domain's messages. */
export interface ControlCodec {
  /** `undefined`: malformed, or of a kind that this release does not know. */
  decodeRequest(payload: Uint8Array): ControlRequest | undefined;
  encodeReply(reply: ControlReply): Uint8Array;
}

/** Control requests answered outside the hub: the routes of data channels. */
export interface ControlExtension {
  /** `undefined`: no answer. */
  answer(
    fleetlet: string,
    request: Extract<ControlRequest, { kind: 'resolveData' | 'listening' }>,
    signal: AbortSignal,
  ): Promise<ControlReply | undefined>;
  /** Admits a stream that this fleetlet opens with a ticket, without having been asked to. */
  admit(fleetlet: string, open: OpenFrame): Promise<Admission>;
  /** The fleetlet is gone; what it announced no longer holds. */
  gone(fleetlet: string): void;
}

export interface ControlDeskDeps {
  readonly targets: TargetDesk;
  readonly codec: ControlCodec;
  readonly extension?: ControlExtension;
  readonly tell: (session: FleetletSession, reply: ControlReply) => void;
  readonly onFact: (fact: HubFact) => void;
  /** How long a request may take before the fleetlet is told to retry; default 30 s. */
  readonly withinMs?: number;
}

const WITHIN_MS = 30_000;

/**
 * Answers the control requests of fleetlets. Requests about the same target run one after the other, all others concurrently.
 */
export class ControlDesk {
  readonly #deps: ControlDeskDeps;
  /** The last request started, by session and target. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(deps: ControlDeskDeps) {
    this.#deps = deps;
  }

  /** A request is acknowledged after it was answered, so one that is cut off before is sent again. */
  take(session: FleetletSession, message: Inbound): void {
    const request = this.#deps.codec.decodeRequest(message.payload);
    // From a newer release, which expects that an older platform may not understand it.
    if (request === undefined) return message.ack();
    const key = `${session.key} ${this.#subjectOf(request)}`;
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(() => this.#answer(session, request));
    this.#turns.set(key, turn);
    const over = (): void => {
      message.ack();
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
    };
    turn.then(over, over);
  }

  async #answer(session: FleetletSession, request: ControlRequest): Promise<void> {
    const { withinMs = WITHIN_MS, tell, onFact } = this.#deps;
    try {
      const reply = await this.#replyTo(session, request, AbortSignal.timeout(withinMs));
      if (reply !== undefined) tell(session, reply);
    } catch (error) {
      onFact({ kind: 'trouble', what: `answer ${request.kind}`, fleetlet: session.fleetlet, error });
      if (!('claim' in request)) return;
      const message = 'the platform failed to look up the target; register it again';
      tell(session, {
        request: request.request,
        kind: 'targetRefused',
        name: request.claim.name,
        reason: 'unavailable',
        message,
      });
    }
  }

  async #replyTo(
    session: FleetletSession,
    message: ControlRequest,
    signal: AbortSignal,
  ): Promise<ControlReply | undefined> {
    const { targets, extension } = this.#deps;
    const { request } = message;
    switch (message.kind) {
      case 'registerTarget':
      case 'updateTarget':
        return await this.#register(session, { request, claim: message.claim }, signal);
      case 'deregisterTarget':
        targets.deregister(session, message.target);
        return { request, kind: 'targetDeregistered', target: message.target };
      case 'resolveData':
      case 'listening':
        return await extension?.answer(session.fleetlet, message, signal);
    }
  }

  async #register(
    session: FleetletSession,
    { request, claim }: { readonly request: number; readonly claim: TargetClaim },
    signal: AbortSignal,
  ): Promise<ControlReply> {
    const { name } = claim;
    const binding = await this.#deps.targets.register(session, claim, signal);
    if (binding.kind === 'bound') return { request, kind: 'targetAccepted', target: binding.target.uid, name };
    const { reason, message, identity } = binding;
    this.#deps.onFact({ kind: 'targetRefused', name, fleetlet: session.fleetlet, message });
    return { request, kind: 'targetRefused', name, reason, message, identity };
  }

  #subjectOf(request: ControlRequest): string {
    if ('claim' in request) return request.claim.name;
    return 'target' in request ? (this.#deps.targets.nameOf(request.target) ?? '') : request.kind;
  }
}
