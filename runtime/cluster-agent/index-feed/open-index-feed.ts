import type { Channel, LocalClient } from '#contexts/channels';
import { type FeedFact, type FeedPace, TargetFeed } from '#contexts/resource-index';
import { decodeToIndexer, encodeFromIndexer } from '#contexts/resource-index/adapters';
import type { KubeClient } from '#kit/kube';
import { aborted, sleep, systemClock } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { KubeObjectSource, type SourcePace } from './kube-object-source.ts';

export interface IndexFeedDeps {
  readonly client: Pick<LocalClient, 'open'>;
  readonly log: Logger;
  readonly pace?: Partial<FeedPace & SourcePace>;
}

export interface IndexedCluster {
  readonly kube: KubeClient;
  /** The uid that the platform assigned. */
  readonly targetUid: string;
  /** For the log. */
  readonly targetName: string;
}

/** Sends the contents of an agent's clusters on the channel `index`. */
export interface IndexFeed {
  /**
   * Runs until aborted, then resolves. Errors of the cluster or the channel are logged and retried. At most one run per
   * target at a time: the previous one has to end first.
   */
  serveIndex(cluster: IndexedCluster, signal: AbortSignal): Promise<void>;
}

/** One key, so that all messages of a target arrive in order. */
const KEY = 'index';
/** For all targets together. Beyond it, only the latest state of each object waits, which takes less memory. */
const BUFFER = { messages: 256, bytes: 2 * 1024 * 1024 };

/**
 * One feed for each client, because all its targets share the channel. May be opened before or after the client runs.
 */
export function openIndexFeed({ client, log, pace = {} }: IndexFeedDeps): IndexFeed {
  const feeds = new Map<string, TargetFeed>();
  const channel = client.open(
    { name: 'index', buffer: BUFFER },
    {
      message: (message) => {
        message.ack();
        hand(feeds.get(message.target), message, log);
      },
      resumed: () => {
        for (const feed of feeds.values()) feed.refresh();
      },
      closed: ({ message }) =>
        log.warn({ reason: message }, 'index channel closed by the platform; index updates stopped'),
    },
  );
  return {
    serveIndex: async (cluster, signal) => {
      const { targetUid, targetName, kube } = cluster;
      const about = log.child({ component: 'index' });
      const feed = new TargetFeed({
        // Full lists yield to urgent requests.
        source: new KubeObjectSource({ client: kube.withPriority('low'), sleep, random: Math.random, pace }),
        send: (said, stop) => send(channel, { target: targetUid, payload: encodeFromIndexer(said) }, stop),
        clock: systemClock,
        sleep,
        random: Math.random,
        onFact: factLog(about, `targets/${targetName}`),
        pace,
      });
      feeds.set(targetUid, feed);
      try {
        await feed.run(signal);
      } catch (err) {
        // The channel was closed permanently, which has been logged.
        about.debug({ err, subject: `targets/${targetName}` }, 'index updates of the target stopped');
        await aborted(signal);
      } finally {
        if (feeds.get(targetUid) === feed) feeds.delete(targetUid);
      }
    },
  };
}

function hand(feed: TargetFeed | undefined, message: { readonly payload: Uint8Array }, log: Logger): void {
  try {
    const said = decodeToIndexer(message.payload);
    if (said !== undefined) feed?.take(said);
  } catch (err) {
    log.warn({ err }, 'malformed index message from the platform; ignored');
  }
}

async function send(
  channel: Channel,
  { target, payload }: { readonly target: string; readonly payload: Uint8Array },
  signal: AbortSignal,
): Promise<void> {
  await channel.send({ target, key: KEY, payload }, signal);
}

function factLog(log: Logger, subject: string): (fact: FeedFact) => void {
  return (fact) => {
    switch (fact.kind) {
      case 'state':
        if (fact.state === 'Forbidden' || fact.state === 'Troubled') {
          return log.warn({ subject, name: fact.type, reason: fact.message }, 'indexing of kind failed; retrying');
        }
        return log.debug({ subject, name: fact.type, status: fact.state }, 'index state of kind changed');
      case 'schema':
        return log.info({ subject, version: fact.revision, count: fact.types }, 'index schema received');
      case 'compared':
        return log.debug({ subject, count: fact.differing }, 'compared with the index of the platform');
      case 'unanswered':
        return log.warn(
          { subject, retryInMs: fact.retryInMs },
          'no answer from the platform about the index; retrying',
        );
      case 'trouble':
        return log.error({ subject, name: fact.type, err: fact.error }, 'indexing of kind failed; stopped');
    }
  };
}
