import type { Inventory } from '#protocol/delivery';
import type { TargetId, TargetRef } from '#protocol/targets';
import type { AgentReports, DeliveryAgent } from '../../application/ports.ts';
import { type Answer, encodeAnswer } from './answer-codec.ts';
import { type Asked, decodeAsked } from './order-codec.ts';
import { encodeSaid, type Said } from './status-codec.ts';

const NOT_OURS: Answer = { kind: 'fault', message: 'This agent does not speak for the target.' };

/** An agent that can say what it has. */
export interface ServedAgent extends DeliveryAgent {
  inventory(target: TargetRef, signal: AbortSignal): Promise<Inventory>;
}

/** The way to the platform. */
export interface PlatformMessages {
  /** Resolves once the platform has it. What has the same key arrives in order. */
  send(message: PlatformMessage, signal: AbortSignal): Promise<void>;
}

export interface PlatformMessage {
  readonly channel: 'delivery' | 'status';
  readonly target: TargetId;
  readonly key: string;
  readonly payload: Uint8Array;
}

export interface DeliveryServerDeps {
  readonly messages: PlatformMessages;
}

/**
 * The agent's end of the delivery channels: what the platform asks goes to the agent, and what the agent says to the
 * platform. The agent says it through `reports`.
 */
export class DeliveryServer {
  readonly #messages: PlatformMessages;
  readonly #targets = new Map<string, TargetRef>();
  /** Until what is on a target has been handed over, all else of it waits; the channel keeps the order from then on. */
  readonly #accounts = new Map<string, Promise<void>>();
  #agent: ServedAgent | undefined;

  constructor({ messages }: DeliveryServerDeps) {
    this.#messages = messages;
  }

  /** Before anything is asked. Apart from the constructor, since an agent is made with the `reports` of this. */
  serve(agent: ServedAgent): void {
    this.#agent = agent;
  }

  readonly reports: AgentReports = {
    report: async (reports, signal) => {
      await Promise.all(
        reports.map(async (report) => await this.#say(report.target, { kind: 'report', report }, signal)),
      );
    },
    inventory: async (inventories, signal) => {
      await Promise.all(
        inventories.map(
          async (inventory) => await this.#say(inventory.target, { kind: 'inventory', inventory }, signal),
        ),
      );
    },
    // The platform sees connections by itself.
    connectionChanged: async () => {},
  };

  /** The platform has taken the target: what it asks is answered from now on. */
  accepted(target: TargetRef): void {
    this.#targets.set(target.id, target);
  }

  /** The platform is ready to hear what is on the target, which is said before anything else of it. */
  async connected(target: TargetRef, signal: AbortSignal): Promise<void> {
    this.accepted(target);
    let sending: Promise<void> = Promise.resolve();
    const account = this.#served()
      .inventory(target, signal)
      .then((inventory) => {
        sending = this.#send(target.id, { kind: 'inventory', inventory }, signal);
        sending.catch(() => {});
      });
    this.#accounts.set(target.id, account);
    await account;
    await sending;
  }

  /** It is not ours any longer. */
  gone(target: TargetId): void {
    this.#targets.delete(target);
    this.#accounts.delete(target);
  }

  /** What came on `delivery`. Resolves once it was answered; throws when what came is no question. */
  async take(targetId: string, payload: Uint8Array, signal: AbortSignal): Promise<void> {
    const target = this.#targets.get(targetId);
    const { request, asked } = decodeAsked(payload, target ?? { id: targetId as TargetId, name: '', type: '' });
    const answer = target === undefined ? NOT_OURS : await this.#answer(asked, signal);
    const key = asked?.order.deployment ?? '';
    await this.#messages.send(
      { channel: 'delivery', target: targetId as TargetId, key, payload: encodeAnswer(request, answer) },
      signal,
    );
  }

  async #answer(asked: Asked | undefined, signal: AbortSignal): Promise<Answer> {
    if (asked === undefined) return { kind: 'fault', message: 'This agent does not know that question.' };
    const agent = this.#served();
    try {
      switch (asked.kind) {
        case 'dispatch':
          return { kind: 'acknowledgement', acknowledgement: await agent.dispatch(asked.order, signal) };
        case 'preview':
          return { kind: 'preview', preview: await agent.preview(asked.order, signal) };
        case 'cancel':
          await agent.cancel(asked.order, signal);
          return { kind: 'cancelled' };
      }
    } catch (error) {
      return { kind: 'fault', message: error instanceof Error ? error.message : String(error) };
    }
  }

  async #say(target: TargetId, said: Said, signal: AbortSignal): Promise<void> {
    // An account that could not be given is the business of whoever asked for it, and is asked for again.
    await this.#accounts.get(target)?.catch(() => {});
    await this.#send(target, said, signal);
  }

  async #send(target: TargetId, said: Said, signal: AbortSignal): Promise<void> {
    await this.#messages.send({ channel: 'status', target, key: target, payload: encodeSaid(said) }, signal);
  }

  #served(): ServedAgent {
    if (this.#agent === undefined) throw new TypeError('nobody serves yet');
    return this.#agent;
  }
}
