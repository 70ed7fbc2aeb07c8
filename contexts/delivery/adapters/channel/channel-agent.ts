import { unlessAborted } from '#kit/std';
import type { Acknowledgement, DeliveryOrder, OrderKey, PreviewAnswer } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { DeliveryAgent } from '../../application/ports.ts';
import { DeliveryError } from '../../domain/delivery-error.ts';
import { type Answer, decodeAnswer } from './answer-codec.ts';
import { type AgentRequest, encodeRequest } from './order-codec.ts';

/** Sends messages to the agents of connected targets. */
export interface AgentMessages {
  /**
   * Resolves once the message is sent; waits while there is no room. `offline`: no agent serves the target, and nothing
   * was sent. Messages with the same key arrive in order.
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
 * The agent of all targets that are served over channels. Requests are numbered; the answer carries the same number. A
 * request whose connection is lost throws, and the caller sends it again: agents accept the same order twice.
 */
export class ChannelAgent implements DeliveryAgent {
  readonly #messages: AgentMessages;
  readonly #waiting = new Map<bigint, Waiting>();
  #requests: bigint;

  /**
   * `firstRequest` is beyond the numbers of an earlier process, so that a late answer is not taken for that of another
   * request.
   */
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

  /**
   * Handles a message from the channel. Ignores an answer that is no longer awaited. Throws when it cannot be decoded.
   */
  take(target: TargetId, payload: Uint8Array): void {
    const { request, answer } = decode(payload);
    const waiting = this.#waiting.get(request);
    // Only the target that was asked may answer.
    if (waiting?.target === target) waiting.answered(answer);
  }

  /** To be called when the target's agent disconnected or was replaced: pending requests may have been lost. */
  lost(target: TargetId): void {
    for (const waiting of this.#waiting.values()) {
      if (waiting.target !== target) continue;
      waiting.lost(new DeliveryError('CONNECTION_LOST', 'The connection to the agent was lost before it answered.'));
    }
  }

  async #ask(asked: AgentRequest, signal: AbortSignal): Promise<Answer | 'offline'> {
    signal.throwIfAborted();
    const request = this.#requests++;
    const { target, deployment } = asked.order;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    // The caller may have gone before there is an answer.
    promise.catch(() => {});
    this.#waiting.set(request, { target: target.id, answered: resolve, lost: reject });
    try {
      const payload = encodeRequest(request, asked);
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
    throw new DeliveryError('BAD_MESSAGE', 'The answer of an agent cannot be decoded.', { cause });
  }
}

function faultOf(answer: Answer, { target }: OrderKey): DeliveryError {
  const reason = answer.kind === 'fault' ? answer.message : `it sent an unexpected ${answer.kind}.`;
  return new DeliveryError('AGENT_FAULT', `The agent of ${target.name} could not answer: ${reason}`);
}
