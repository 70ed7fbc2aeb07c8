import type { Clock } from '#kit/std';
import type { Inbound } from '../channel.ts';
import type { ChannelHandler, FleetletSession, MessageSource } from './fleetlet-session.ts';
import type { HubObserver } from './ports.ts';
import type { TargetDesk } from './target-desk.ts';

export interface MessageGateDeps {
  readonly handlers: ReadonlyMap<string, ChannelHandler>;
  readonly targets: Pick<TargetDesk, 'standing'>;
  readonly observer: HubObserver;
  readonly clock: Clock;
  /** How long a message waits for its target to be registered. */
  readonly holdMs: number;
}

interface Held {
  readonly message: Inbound;
  readonly from: MessageSource;
  readonly since: number;
}

/**
 * Lets a message about a target through only if its sender serves that target. After a cut all streams reconnect at once, and a
 * resent message on one may overtake the registration on another: such a message is held. It is not acknowledged, so the window
 * bounds how many are held.
 */
export class MessageGate {
  readonly #deps: MessageGateDeps;
  readonly #held = new Map<FleetletSession, Map<string, Held[]>>();

  constructor(deps: MessageGateDeps) {
    this.#deps = deps;
  }

  take(message: Inbound, from: MessageSource): void {
    const { target } = message;
    if (target === '') return this.#handle(message, from);
    switch (this.#deps.targets.standing(from.session, target)) {
      case 'online':
        return this.#handle(message, from);
      case 'refused':
        return this.#refuse(message, from);
      case 'waiting':
        return this.#hold(message, from);
    }
  }

  /** The state of the target has changed: checks its held messages again. */
  release(session: FleetletSession, target: string): void {
    const held = this.#held.get(session)?.get(target) ?? [];
    this.#held.get(session)?.delete(target);
    for (const { message, from } of held) this.take(message, from);
  }

  /** Held messages are dropped without an acknowledgement, so the sender still has them. */
  forget(session: FleetletSession): void {
    this.#held.delete(session);
  }

  sweep(now: number): void {
    for (const targets of this.#held.values()) {
      for (const [target, held] of targets) {
        const [oldest] = held;
        if (oldest === undefined || now - oldest.since < this.#deps.holdMs) continue;
        targets.delete(target);
        for (const { message, from } of held) this.#refuse(message, from);
      }
    }
  }

  #handle(message: Inbound, from: MessageSource): void {
    const { name } = from.channel;
    this.#deps.observer.message('in', name, message.payload.length);
    this.#deps.handlers.get(name)?.message(message, from);
  }

  /** Acknowledges the message, because an unacknowledged one would block others. */
  #refuse(message: Inbound, { session, channel }: MessageSource): void {
    message.ack();
    const { target } = message;
    this.#deps.observer.fact({ kind: 'messageRefused', channel: channel.name, fleetlet: session.fleetlet, target });
  }

  #hold(message: Inbound, from: MessageSource): void {
    const targets = this.#held.get(from.session) ?? new Map<string, Held[]>();
    this.#held.set(from.session, targets);
    const held = targets.get(message.target) ?? [];
    targets.set(message.target, held);
    held.push({ message, from, since: this.#deps.clock.now() });
  }
}
