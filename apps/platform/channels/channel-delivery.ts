import { ChannelError, type ChannelHandler, type Inbound, type Presence, type SessionHub } from '#contexts/channels';
import type { AgentRegistry, AgentReports } from '#contexts/delivery';
import { type AgentMessages, ChannelAgent, type StatusIntake, type StatusOutcome } from '#contexts/delivery/adapters';
import { type Clock, sleep as realSleep, type Sleep } from '#kit/std';
import type { SetAside } from '#kit/storage/dead-letters';
import type { TargetId } from '#protocol/targets';
import { AnotherLeads } from '../leadership/leadership.ts';

export interface ChannelDeliveryDeps {
  /** Available once everything is wired. */
  readonly hub: () => Pick<SessionHub, 'send' | 'synced'>;
  readonly agents: AgentRegistry;
  readonly intake: Pick<StatusIntake, 'receive'>;
  readonly connectionChanged: AgentReports['connectionChanged'];
  readonly clock: Clock;
  readonly sleep?: Sleep;
  /** For messages that can never be processed. */
  readonly setAside: (letter: SetAside) => void;
}

/** The delivery contract with agents at the other end of a channel. */
export interface ChannelDelivery {
  readonly presence: Presence;
  readonly handlers: Readonly<Record<'delivery' | 'status', ChannelHandler>>;
}

export function channelDelivery(deps: ChannelDeliveryDeps): ChannelDelivery {
  const { clock } = deps;
  const agent = new ChannelAgent({ messages: messagesTo(deps), firstRequest: BigInt(clock.now()) << 16n });
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
        message: (message) =>
          deps.intake.receive(message.target as TargetId, message.payload, (outcome) => settle(deps, message, outcome)),
      },
    },
  };
}

const LOOK_AGAIN_MS = 50;

/**
 * A connected target whose fleetlet has yet to open the channel is waited for. It is not offline: no change of its
 * connection would follow, and an order that waits for it to come back would wait forever.
 */
function messagesTo({ hub, sleep = realSleep }: Pick<ChannelDeliveryDeps, 'hub' | 'sleep'>): AgentMessages {
  return {
    send: async (message, signal) => {
      for (;;) {
        try {
          await hub().send('delivery', message, signal);
          return 'sent';
        } catch (error) {
          if (!(error instanceof ChannelError)) throw error;
          if (error.code === 'SESSION_GONE') return 'offline';
          if (error.code !== 'CHANNEL_NOT_OPEN') throw error;
        }
        await sleep(LOOK_AGAIN_MS, signal);
      }
    },
  };
}

/** The sync of a target that sent its inventory, or something else that is refused, is over: the next one may begin. */
function settle({ hub, setAside }: ChannelDeliveryDeps, message: Inbound, outcome: StatusOutcome): void {
  // Not acknowledged: the agent sends it again to the replica that takes fleetlets now.
  if (outcome.kind === 'refused' && outcome.error instanceof AnotherLeads) return;
  if (outcome.kind === 'refused') setAside(letterOf(message, outcome.error));
  message.ack();
  const isSynced = outcome.kind === 'stored' && outcome.about === 'inventory';
  if (isSynced || outcome.kind === 'refused') hub().synced(message.target);
}

function letterOf({ target }: { target: string }, error: unknown): SetAside {
  return { source: 'status', subject: `targets/${target}`, error };
}

/** The agent serves exactly those targets whose fleetlets are connected to this process. */
function presenceOf({ agents, connectionChanged }: ChannelDeliveryDeps, agent: ChannelAgent): Presence {
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
      await connectionChanged(told, signal);
    },
  };
}
