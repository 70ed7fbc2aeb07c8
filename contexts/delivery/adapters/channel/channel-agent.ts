import { unlessAborted } from '#kit/std';
import type { Acknowledgement, DeliveryOrder, OrderKey, PreviewAnswer } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { DeliveryAgent } from '../../application/ports.ts';
import { DeliveryError } from '../../domain/delivery-error.ts';
import { type Answer, decodeAnswer } from './answer-codec.ts';
import { type Asked, encodeAsked } from './order-codec.ts';

/** The way to the agents of targets that are connected. */
export interface AgentMessages {
  /**
   * Resolves once it is on its way, and waits while there is no room. `offline` when nobody speaks for the target: then
   * it was not sent. What has the same key arrives in order.
   */
  send(message: AgentMessage, signal: AbortSignal): Promise<'sent' | 'offline'>;
}

export interface AgentMessage {
  readonly target: TargetId;
  readonly key: string;
  readonly payload: Uint8Array;
}

interface Waiting {
  readonly target: TargetId;
  readonly answered: (answer: Answer) => void;
  readonly lost: (error: DeliveryError) => void;
}

/**
 * Speaks for all targets whose agents are at the other end of a channel. Each question has a number; the answer has the
 * same. A question that is cut off from its answer throws, and whoever asked asks again: agents take the same order twice.
 */
export class ChannelAgent implements DeliveryAgent {
  readonly #messages: AgentMessages;
  readonly #waiting = new Map<bigint, Waiting>();
  #requests: bigint;

  /** `firstRequest` is beyond those of an earlier life, so that a late answer to one of them is not taken for another's. */
  constructor({ messages, firstRequest }: { readonly messages: AgentMessages; readonly firstRequest: bigint }) {
    this.#messages = messages;
    this.#requests = firstRequest;
  }

  async dispatch(order: DeliveryOrder, signal: AbortSignal): Promise<Acknowledgement> {
    const answer = await this.#ask({ kind: 'dispatch', order }, signal);
    if (answer === 'offline') return { kind: 'offline' };
    if (answer.kind === 'acknowledgement') return answer.acknowledgement;
    throw faultOf(answer, order);
  }

  async cancel(order: OrderKey, signal: AbortSignal): Promise<void> {
    const answer = await this.#ask({ kind: 'cancel', order }, signal);
    if (answer !== 'offline' && answer.kind !== 'cancelled') throw faultOf(answer, order);
  }

  async preview(order: DeliveryOrder, signal: AbortSignal): Promise<PreviewAnswer | undefined> {
    const answer = await this.#ask({ kind: 'preview', order }, signal);
    if (answer === 'offline') return undefined;
    if (answer.kind === 'preview') return answer.preview;
    throw faultOf(answer, order);
  }

  /** What came on the channel. An answer that nobody waits for any longer is passed over. Throws for what is none. */
  take(target: TargetId, payload: Uint8Array): void {
    const { request, answer } = decode(payload);
    const waiting = this.#waiting.get(request);
    // Only the one who was asked may answer.
    if (waiting?.target === target) waiting.answered(answer);
  }

  /** Nobody speaks for it any longer, or somebody else does: what was asked may have been lost. */
  lost(target: TargetId): void {
    for (const waiting of this.#waiting.values()) {
      if (waiting.target !== target) continue;
      waiting.lost(new DeliveryError('CONNECTION_LOST', 'The connection to the agent was lost before it answered.'));
    }
  }

  async #ask(asked: Asked, signal: AbortSignal): Promise<Answer | 'offline'> {
    signal.throwIfAborted();
    const request = this.#requests++;
    const { target, deployment } = asked.order;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    // Whoever asked may have gone before there is an answer.
    promise.catch(() => {});
    this.#waiting.set(request, { target: target.id, answered: resolve, lost: reject });
    try {
      const payload = encodeAsked(request, asked);
      const sent = await this.#messages.send({ target: target.id, key: deployment, payload }, signal);
      return sent === 'offline' ? 'offline' : await unlessAborted(promise, signal);
    } finally {
      this.#waiting.delete(request);
    }
  }
}

function decode(payload: Uint8Array): ReturnType<typeof decodeAnswer> {
  try {
    return decodeAnswer(payload);
  } catch (cause) {
    throw new DeliveryError('BAD_MESSAGE', 'What an agent answered cannot be read.', { cause });
  }
}

function faultOf(answer: Answer, { target }: OrderKey): DeliveryError {
  const said = answer.kind === 'fault' ? answer.message : `It answered with ${answer.kind}, which was not asked.`;
  return new DeliveryError('AGENT_FAULT', `The agent of ${target.name} could not answer: ${said}`);
}
