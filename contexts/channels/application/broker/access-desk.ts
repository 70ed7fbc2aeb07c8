import type { AccessAnswerMessage, AccessReply, AccessRequestMessage } from '../../domain/access-message.ts';
import type { Inbound } from '../channel.ts';
import type { AccessResolver } from './access-resolver.ts';
import type { LocalEnd } from './local-session.ts';

export interface AccessDeskDeps {
  readonly resolver: AccessResolver;
  readonly decode: (payload: Uint8Array) => AccessRequestMessage | undefined;
  readonly encode: (answer: AccessAnswerMessage) => Uint8Array;
  readonly signal: AbortSignal;
}

/** The platform did not answer; the caller decides how to proceed. */
const NO_ANSWER: AccessReply = {
  facts: { kind: 'fault', code: 'unavailable', message: 'the platform cannot be reached; try again' },
  maxAgeMs: 0,
  staleMs: 0,
};

/**
 * Answers the questions of local processes on `access`. Each is acknowledged with its answer, so the window bounds the pending
 * ones.
 */
export class AccessDesk {
  readonly #deps: AccessDeskDeps;

  constructor(deps: AccessDeskDeps) {
    this.#deps = deps;
  }

  message(message: Inbound, end: LocalEnd): void {
    const asked = this.#deps.decode(message.payload);
    if (asked === undefined) return message.ack();
    const answer = (reply: AccessReply): void => {
      const payload = this.#deps.encode({ ...reply, request: asked.request });
      end.trySend({ payload, process: message.process, key: String(asked.request) });
      message.ack();
    };
    this.#deps.resolver.resolve(asked.question, this.#deps.signal).then(answer, () => answer(NO_ANSWER));
  }
}
