import { ChannelError, type ChannelHandler, type Presence, type SessionHub } from '#contexts/channels';
import type { AgentRegistry, AgentReports } from '#contexts/delivery';
import { type AgentMessages, ChannelAgent, StatusIntake } from '#contexts/delivery/adapters';
import type { Runnable } from '#kit/reconcile';
import type { Clock, Sleep } from '#kit/std';
import type { SetAside } from '#kit/storage/dead-letters';
import type { Logger } from '#kit/telemetry';
import type { TargetId } from '#protocol/targets';

export interface ChannelDeliveryDeps {
  /** Available once everything is wired. */
  readonly hub: () => Pick<SessionHub, 'send' | 'synced'>;
  readonly agents: AgentRegistry;
  readonly reports: AgentReports;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** For messages that can never be processed. */
  readonly setAside: (letter: SetAside) => void;
  readonly log: Logger;
}

/** The delivery contract with agents at the other end of a channel. */
export interface ChannelDelivery {
  readonly presence: Presence;
  readonly handlers: Readonly<Record<'delivery' | 'status', ChannelHandler>>;
  readonly runnable: Runnable;
}

export function channelDelivery(deps: ChannelDeliveryDeps): ChannelDelivery {
  const { clock } = deps;
  const agent = new ChannelAgent({ messages: messagesTo(deps.hub), firstRequest: BigInt(clock.now()) << 16n });
  const status = statusIntake(deps);
  return {
    presence: presenceOf(deps, agent),
    handlers: {
      delivery: {
        mode: 'reliable',
        message: (message) => {
          try {
            agent.take(message.target as TargetId, message.payload);
          } catch (error) {
            deps.setAside(letterOf(message, error));
          }
          message.ack();
        },
      },
      status: {
        mode: 'reliable',
        message: (message) => status.take(message.target as TargetId, message.payload, () => message.ack()),
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

/** A target that has sent its inventory makes room for the next to sync. */
function statusIntake({ hub, reports, sleep, setAside, log }: ChannelDeliveryDeps): StatusIntake {
  const onTrouble = (err: unknown): void => log.warn({ err }, 'agent reports not stored; retrying');
  const inventory: AgentReports['inventory'] = async (inventories, signal) => {
    await reports.inventory(inventories, signal);
    for (const { target } of inventories) hub().synced(target);
  };
  return new StatusIntake({
    reports: { ...reports, inventory },
    sleep,
    onTrouble,
    setAside: (message, error) => {
      setAside(letterOf(message, error));
      // The sync of this target is over: the next one must not wait for a message that will not come.
      hub().synced(message.target);
    },
  });
}

function letterOf({ target, payload }: { target: string; payload: Uint8Array }, error: unknown): SetAside {
  return { source: 'status', subject: `targets/${target}`, error, payload };
}

/** The agent serves exactly those targets whose fleetlets are connected to this process. */
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
