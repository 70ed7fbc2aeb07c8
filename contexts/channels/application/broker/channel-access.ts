import type { Clock } from '#kit/std';
import type {
  AccessAnswerMessage,
  AccessQuestion,
  AccessReply,
  AccessRequestMessage,
} from '../../domain/access-message.ts';
import type { Channel, ChannelHandlers, Inbound } from '../channel.ts';
import type { AccessResolver } from './access-resolver.ts';

export interface ChannelAccessDeps {
  /** The `access` channel to the platform. */
  readonly open: (handlers: ChannelHandlers) => Channel;
  readonly clock: Clock;
  readonly encode: (request: AccessRequestMessage) => Uint8Array;
  readonly decode: (payload: Uint8Array) => AccessAnswerMessage | undefined;
  /** After this time the question is not sent any more. */
  readonly answerWithinMs?: number;
}

const ANSWER_WITHIN_MS = 5_000;

/** Asks the platform on the `access` channel. After a cut the channel itself resends the questions. */
export class ChannelAccess implements AccessResolver {
  readonly #deps: ChannelAccessDeps;
  readonly #waiting = new Map<number, (reply: AccessReply) => void>();
  readonly #channel: Channel;
  #requests = 0;

  constructor(deps: ChannelAccessDeps) {
    this.#deps = deps;
    this.#channel = deps.open({ message: (message) => this.#answered(message) });
  }

  async resolve(question: AccessQuestion, signal: AbortSignal): Promise<AccessReply> {
    signal.throwIfAborted();
    const request = ++this.#requests;
    const { promise, resolve, reject } = Promise.withResolvers<AccessReply>();
    // While `send` waits for room it reports the abort itself; then this promise is not observed.
    promise.catch(() => undefined);
    const giveUp = (): void => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    this.#waiting.set(request, resolve);
    try {
      const payload = this.#deps.encode({ request, question });
      const deadline = this.#deps.clock.now() + (this.#deps.answerWithinMs ?? ANSWER_WITHIN_MS);
      // A key for each question, so that none waits for the one before it.
      await this.#channel.send({ payload, deadline, key: String(request) }, signal);
      return await promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
      this.#waiting.delete(request);
    }
  }

  #answered(message: Inbound): void {
    const answer = this.#deps.decode(message.payload);
    message.ack();
    if (answer === undefined) return;
    const { request, ...reply } = answer;
    this.#waiting.get(request)?.(reply);
  }
}
