import type { Channel, LocalClient } from '#contexts/channels';
import { type FeedFact, type FeedPace, TargetFeed } from '#contexts/resource-index';
import { decodeToIndexer, encodeFromIndexer } from '#contexts/resource-index/adapters';
import type { KubeClient } from '#kit/kube';
import { sleep, systemClock } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { KubeObjectSource, type SourcePace } from './kube-object-source.ts';

export interface IndexFeedDeps {
  readonly client: Pick<LocalClient, 'open'>;
  readonly log: Logger;
  readonly pace?: Partial<FeedPace & SourcePace>;
}

export interface IndexedCluster {
  readonly kube: KubeClient;
  /** As the platform accepted it. */
  readonly targetUid: string;
  /** For the log. */
  readonly targetName: string;
}

/** The eyes of an agent: what is in its clusters, told on the channel `index`. */
export interface IndexFeed {
  /**
   * Until aborted, which it answers by resolving. Whatever goes wrong with the cluster or the channel is logged and tried
   * again. Once for a target at a time: the one before has to be over.
   */
  serveIndex(cluster: IndexedCluster, signal: AbortSignal): Promise<void>;
}

/** All that is said of one target arrives in order. */
const KEY = 'index';
/** For all targets together; beyond that the latest of each object waits where it takes less room. */
const BUFFER = { messages: 256, bytes: 2 * 1024 * 1024 };

/** One for each client, since all targets of it share the channel. Before or after it runs. */
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
      closed: ({ message }) => log.warn({ reason: message }, 'the platform takes no index; nothing is told any more'),
    },
  );
  return {
    serveIndex: async (cluster, signal) => {
      const { targetUid, targetName, kube } = cluster;
      const about = log.child({ component: 'index' });
      const feed = new TargetFeed({
        // Lists of everything wait where others are in a hurry.
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
        // The channel was closed for good, and said so.
        about.debug({ err, subject: `targets/${targetName}` }, 'the index of the target is told no longer');
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
    log.warn({ err }, 'what the platform said of the index cannot be read; passed over');
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
          return log.warn({ subject, name: fact.type, reason: fact.message }, 'a kind is not indexed; will try again');
        }
        return log.debug({ subject, name: fact.type, status: fact.state }, 'a kind of the index has another state');
      case 'schema':
        return log.info({ subject, version: fact.revision, count: fact.types }, 'indexing by this schema');
      case 'compared':
        return log.debug({ subject, count: fact.differing }, 'compared with what the platform has');
      case 'unanswered':
        return log.warn(
          { subject, retryInMs: fact.retryInMs },
          'the platform said nothing of the index; will ask again',
        );
      case 'trouble':
        return log.error({ subject, name: fact.type, err: fact.error }, 'a kind is not indexed any more');
    }
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
