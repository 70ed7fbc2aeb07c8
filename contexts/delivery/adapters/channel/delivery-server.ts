import type { Inventory } from '#protocol/delivery';
import type { TargetId, TargetRef } from '#protocol/targets';
import type { AgentReports, DeliveryAgent } from '../../application/ports.ts';
import { type Answer, encodeAnswer } from './answer-codec.ts';
import { type AgentRequest, decodeRequest } from './order-codec.ts';
import { type AgentStatus, encodeStatus } from './status-codec.ts';

const NOT_SERVED: Answer = { kind: 'fault', message: 'This agent does not serve the target.' };

/** An agent that can report its inventory. */
export interface ServedAgent extends DeliveryAgent {
  inventory(target: TargetRef, signal: AbortSignal): Promise<Inventory>;
}

/** Sends messages to the platform. */
export interface PlatformMessages {
  /** Resolves once the platform has it. Messages with the same key arrive in order. */
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
 * The agent's end of the delivery channels: passes requests of the platform to the agent, and reports of the agent to
 * the platform. The agent reports through `reports`.
 */
export class DeliveryServer {
  readonly #messages: PlatformMessages;
  readonly #targets = new Map<string, TargetRef>();
  /** The inventory of a target is sent before everything else about it; from then on the channel keeps the order. */
  readonly #inventories = new Map<string, Promise<void>>();
  #agent: ServedAgent | undefined;

  constructor({ messages }: DeliveryServerDeps) {
    this.#messages = messages;
  }

  /**
   * To be called before the first request. Not part of the constructor, since the agent needs the `reports` of this
   * object.
   */
  serve(agent: ServedAgent): void {
    this.#agent = agent;
  }

  readonly reports: AgentReports = {
    report: async (reports, signal) => {
      await Promise.all(
        reports.map(async (report) => await this.#report(report.target, { about: 'report', report }, signal)),
      );
    },
    inventory: async (inventories, signal) => {
      await Promise.all(
        inventories.map(
          async (inventory) => await this.#report(inventory.target, { about: 'inventory', inventory }, signal),
        ),
      );
    },
    // The platform observes connections itself.
    connectionChanged: async () => {},
  };

  /** The platform has accepted the target: its requests are answered from now on. */
  accepted(target: TargetRef): void {
    this.#targets.set(target.id, target);
  }

  /** The platform is ready for the target's inventory, which is sent before anything else about it. */
  async connected(target: TargetRef, signal: AbortSignal): Promise<void> {
    this.accepted(target);
    let sending: Promise<void> = Promise.resolve();
    const inventory = this.#servedAgent()
      .inventory(target, signal)
      .then((content) => {
        sending = this.#send(target.id, { about: 'inventory', inventory: content }, signal);
        sending.catch(() => {});
      });
    this.#inventories.set(target.id, inventory);
    await inventory;
    await sending;
  }

  /** This agent no longer serves the target. */
  gone(target: TargetId): void {
    this.#targets.delete(target);
    this.#inventories.delete(target);
  }

  /** Handles a message on `delivery`. Resolves once it was answered; throws when it cannot be decoded. */
  async handle(targetId: string, payload: Uint8Array, signal: AbortSignal): Promise<void> {
    const target = this.#targets.get(targetId);
    const { request, asked } = decodeRequest(payload, target ?? { id: targetId as TargetId, name: '', type: '' });
    const answer = target === undefined ? NOT_SERVED : await this.#answer(asked, signal);
    const key = asked?.order.deployment ?? '';
    await this.#messages.send(
      { channel: 'delivery', target: targetId as TargetId, key, payload: encodeAnswer(request, answer) },
      signal,
    );
  }

  async #answer(asked: AgentRequest | undefined, signal: AbortSignal): Promise<Answer> {
    if (asked === undefined) return { kind: 'fault', message: 'This agent does not know that request.' };
    const agent = this.#servedAgent();
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

  async #report(target: TargetId, status: AgentStatus, signal: AbortSignal): Promise<void> {
    // A failed inventory is handled by the code that requested it, which retries.
    await this.#inventories.get(target)?.catch(() => {});
    await this.#send(target, status, signal);
  }

  async #send(target: TargetId, status: AgentStatus, signal: AbortSignal): Promise<void> {
    await this.#messages.send({ channel: 'status', target, key: target, payload: encodeStatus(status) }, signal);
  }

  #servedAgent(): ServedAgent {
    if (this.#agent === undefined) throw new TypeError('no agent is being served yet');
    return this.#agent;
  }
}
