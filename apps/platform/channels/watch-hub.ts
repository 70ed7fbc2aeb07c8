import type { HubFact, HubObserver } from '#contexts/channels';
import { assertNever } from '#kit/std';
import type { SetAside } from '#kit/storage/dead-letters';
import type { Logger, Metrics } from '#kit/telemetry';

export interface WatchHubDeps {
  readonly setAside: (letter: SetAside) => void;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Turns what happens between fleetlets and this process into lines of the log and metrics. */
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
    help: 'Messages taken from fleetlets (in) and handed over for them (out).',
    labels: ['channel', 'direction'],
  });
  const bytes = metrics.counter({
    name: 'fleetshift_channel_bytes_total',
    help: 'What those messages held.',
    labels: ['channel', 'direction'],
  });
  const happened = metrics.counter({
    name: 'fleetshift_fleetlet_events_total',
    help: 'Events of fleetlet sessions, by kind: connected, disconnected, replaced, superseded, malformed, messageRefused and so on.',
    labels: ['kind'],
  });
  const refused = metrics.counter({
    name: 'fleetshift_fleetlet_refusals_total',
    help: 'Streams that were not opened, by reason.',
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
          fact.isResumed ? 'fleetlet came back' : 'fleetlet came',
        );
      case 'disconnected':
        return log.info({ ...about(fact), reason: fact.why }, 'fleetlet went');
      case 'replaced':
        return log.info(about(fact), 'a later process of the fleetlet took the place of the one before');
      case 'forgotten':
        return log.debug(about(fact), 'forgot the session of a fleetlet');
      case 'refused':
        return log.warn({ code: fact.reason, reason: fact.message, remote: fact.address }, 'refused a fleetlet');
      case 'malformed':
        return log.warn(
          { reason: fact.message, remote: fact.address },
          'closed a stream that said something malformed',
        );
      case 'served':
        return log.info({ subject: `targets/${fact.target.name}`, source: fact.fleetlet }, 'target is connected');
      case 'superseded': {
        const fields = { subject: `targets/${fact.target.name}`, source: fact.by };
        return log.info(fields, 'another fleetlet speaks for the target now');
      }
      case 'targetRefused': {
        const fields = { subject: `targets/${fact.name}`, source: fact.fleetlet, reason: fact.message };
        return log.warn(fields, 'refused a target to a fleetlet');
      }
      case 'messageRefused':
        return log.debug({ ...about(fact), topic: fact.channel }, 'passed over what was said of a target by another');
      case 'presenceTrouble': {
        const { error: err, retryInMs } = fact;
        return log.warn({ err, retryInMs }, 'who came and went was not put down; will try again');
      }
      case 'presenceRefused':
        return log.warn(
          { subject: `targets/${fact.target.name}`, err: fact.error },
          'connection of a target not stored; the target stays disconnected',
        );
      case 'trouble':
        return log.warn(
          { ...about(fact), err: fact.error, operation: fact.what },
          'a fleetlet was not answered; it asks again',
        );
      default:
        return assertNever(fact, 'fact of a hub');
    }
  };
}

function about({ fleetlet }: { readonly fleetlet: string }) {
  return { subject: `fleetlets/${fleetlet}` };
}
