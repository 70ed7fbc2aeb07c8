import type { HubFact, HubObserver } from '#contexts/channels';
import { assertNever } from '#kit/std';
import type { SetAside } from '#kit/storage/dead-letters';
import type { Logger, Metrics } from '#kit/telemetry';

export interface WatchHubDeps {
  readonly setAside: (letter: SetAside) => void;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Turns the events between fleetlets and this process into log lines and metrics. */
export function watchHub({ setAside, log, metrics }: WatchHubDeps): HubObserver {
  const counters = countersOf(metrics);
  const tell = linesOf(log);
  return {
    fact: (fact) => {
      counters.count(fact);
      tell(fact);
      if (fact.kind === 'presenceRefused') {
        setAside({ source: 'status', subject: `targets/${fact.target.uid}`, error: fact.error });
      }
    },
    message: (direction, channel, bytes) => {
      counters.messages.add({ channel, direction });
      counters.bytes.add({ channel, direction }, bytes);
    },
  };
}

function countersOf(metrics: Metrics) {
  const messages = metrics.counter({
    name: 'fleetshift_channel_messages_total',
    help: 'Messages received from fleetlets (in) and sent to them (out).',
    labels: ['channel', 'direction'],
  });
  const bytes = metrics.counter({
    name: 'fleetshift_channel_bytes_total',
    help: 'Bytes of these messages.',
    labels: ['channel', 'direction'],
  });
  const happened = metrics.counter({
    name: 'fleetshift_fleetlet_events_total',
    help: 'Events of fleetlet sessions, by kind: connected, disconnected, replaced, superseded, malformed, messageRefused and so on.',
    labels: ['kind'],
  });
  const refused = metrics.counter({
    name: 'fleetshift_fleetlet_refusals_total',
    help: 'Streams that were refused, by reason.',
    labels: ['reason'],
  });
  const count = (fact: HubFact): void => {
    happened.add({ kind: fact.kind });
    if (fact.kind === 'refused') refused.add({ reason: fact.reason });
  };
  return { messages, bytes, count };
}

function linesOf(log: Logger): (fact: HubFact) => void {
  return (fact) => {
    switch (fact.kind) {
      case 'connected':
        return log.info(
          { ...about(fact), remote: fact.address },
          fact.isResumed ? 'fleetlet reconnected' : 'fleetlet connected',
        );
      case 'disconnected':
        return log.info({ ...about(fact), reason: fact.why }, 'fleetlet disconnected');
      case 'replaced':
        return log.info(about(fact), 'fleetlet replaced by a later process of the same fleetlet');
      case 'forgotten':
        return log.debug(about(fact), 'fleetlet session ended');
      case 'refused':
        return log.warn({ code: fact.reason, reason: fact.message, remote: fact.address }, 'fleetlet refused');
      case 'malformed':
        return log.warn({ reason: fact.message, remote: fact.address }, 'stream closed: malformed frame');
      case 'served':
        return log.info({ subject: `targets/${fact.target.name}`, source: fact.fleetlet }, 'target connected');
      case 'superseded': {
        const fields = { subject: `targets/${fact.target.name}`, source: fact.by };
        return log.info(fields, 'target is now served by another fleetlet');
      }
      case 'targetRefused': {
        const fields = { subject: `targets/${fact.name}`, source: fact.fleetlet, reason: fact.message };
        return log.warn(fields, 'target refused to a fleetlet');
      }
      case 'messageRefused':
        return log.debug(
          { ...about(fact), topic: fact.channel },
          'message about a target dropped: sent by another fleetlet',
        );
      case 'presenceTrouble': {
        const { error: err, retryInMs } = fact;
        return log.warn({ err, retryInMs }, 'connects and disconnects not stored; retrying');
      }
      case 'presenceRefused':
        return log.warn(
          { subject: `targets/${fact.target.name}`, err: fact.error },
          'connection of a target not stored; the target stays disconnected',
        );
      case 'trouble':
        return log.warn(
          { ...about(fact), err: fact.error, operation: fact.what },
          'request of a fleetlet not answered; the fleetlet retries',
        );
      default:
        return assertNever(fact, 'fact of a hub');
    }
  };
}

function about({ fleetlet }: { readonly fleetlet: string }) {
  return { subject: `fleetlets/${fleetlet}` };
}
