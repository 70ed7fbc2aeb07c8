import { ChannelError, type ChannelHandler, type Presence, type SessionHub } from '#contexts/channels';
import type { AgentRegistry, AgentReports, TargetId } from '#contexts/delivery';
import { type AgentMessages, ChannelAgent, StatusIntake } from '#contexts/delivery/adapters';
import type { Runnable } from '#kit/reconcile';
import type { Clock, Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';

export interface ChannelDeliveryDeps {
  /** There once everybody is wired. */
  readonly hub: () => Pick<SessionHub, 'send' | 'synced'>;
  readonly agents: AgentRegistry;
  readonly reports: AgentReports;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Logger;
}

/** The delivery contract with agents at the other end of a channel. */
export interface ChannelDelivery {
  readonly presence: Presence;
  readonly handlers: Readonly<Record<'delivery' | 'status', ChannelHandler>>;
  readonly runnable: Runnable;
}

export function channelDelivery(deps: ChannelDeliveryDeps): ChannelDelivery {
  const { clock, log } = deps;
  const agent = new ChannelAgent({ messages: messagesTo(deps.hub), firstRequest: BigInt(clock.now()) << 16n });
  const status = statusIntake(deps);
  const unreadable = (err: unknown, target: string): void =>
    log.warn({ err, subject: `targets/${target}` }, 'what an agent said cannot be read; passed over');
  return {
    presence: presenceOf(deps, agent),
    handlers: {
      delivery: {
        mode: 'reliable',
        message: (message) => {
          try {
            agent.take(message.target as TargetId, message.payload);
          } catch (error) {
            unreadable(error, message.target);
          }
          message.ack();
        },
      },
      status: {
        mode: 'reliable',
        message: (message) => {
          try {
            status.take(message.target as TargetId, message.payload, () => message.ack());
          } catch (error) {
            unreadable(error, message.target);
            message.ack();
          }
        },
      },
    },
    runnable: { name: 'agent reports', run: (signal) => status.run(signal) },
  };
}

function messagesTo(hub: ChannelDeliveryDeps['hub']): AgentMessages {
  return {
    send: async (message, signal) => {
      try {
        await hub().send('delivery', message, signal);
        return 'sent';
      } catch (error) {
        if (error instanceof ChannelError && error.code === 'SESSION_GONE') return 'offline';
        throw error;
      }
    },
  };
}

/** Whoever has told all that it has makes room for the next. */
function statusIntake({ hub, reports, sleep, log }: ChannelDeliveryDeps): StatusIntake {
  const onTrouble = (err: unknown): void => log.warn({ err }, 'what agents said was not kept; will try again');
  const inventory: AgentReports['inventory'] = async (inventories, signal) => {
    await reports.inventory(inventories, signal);
    for (const { target } of inventories) hub().synced(target);
  };
  return new StatusIntake({ reports: { ...reports, inventory }, sleep, onTrouble });
}

/** The agent speaks for exactly those targets whose fleetlets are here. */
function presenceOf({ agents, reports }: ChannelDeliveryDeps, agent: ChannelAgent): Presence {
  const withdrawals = new Map<string, () => void>();
  const withdraw = (uid: string): void => {
    withdrawals.get(uid)?.();
    withdrawals.delete(uid);
  };
  return {
    reachable: ({ uid }, isReachable) => {
      const id = uid as TargetId;
      withdraw(uid);
      if (isReachable) withdrawals.set(uid, agents.register(agent, { targets: [id] }));
      else agent.lost(id);
    },
    changed: async (changes, signal) => {
      const told = changes.map(({ target: { uid, name, type }, isOnline, time }) => {
        return { target: { id: uid as TargetId, name, type }, isOnline, time };
      });
      await reports.connectionChanged(told, signal);
    },
  };
}
