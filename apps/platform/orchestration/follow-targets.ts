import type { Observer, TargetChange, TargetChanges, Units } from '#contexts/orchestration';
import { targetPool } from '#contexts/targets/adapters';
import type { Runnable } from '#kit/reconcile';
import type { Clock } from '#kit/std';
import type { Storage } from '#kit/storage';
import { createDispatcher, type DispatchFact, type StoredEvent } from '#kit/storage/outbox';
import type { Logger } from '#kit/telemetry';
import type { TargetId } from '#protocol/targets';
import { Gathering } from './gathering.ts';
import { TARGET_NEWS, targetNewsOf } from './target-news.ts';
import { knownIn } from './transaction-ports.ts';

export interface FollowTargetsDeps {
  readonly storage: Storage;
  readonly units: Units;
  readonly changes: Pick<TargetChanges, 'take'>;
  /** Receives the targets that connected or disconnected; it may repeat known states. */
  readonly observer: Observer;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The number of target changes processed concurrently, and so in one transaction. */
const AT_ONCE = 256;

/** Passes changes of targets on to deployments: at least once, in order for each target, by one process at a time. */
export function followTargets(deps: FollowTargetsDeps): Runnable {
  const { storage, log } = deps;
  const changes = new Gathering<TargetChange>((all, signal) => takeChanges(deps, all, signal));
  const connections = new Gathering<TargetId>((all, signal) => takeConnections(deps, all, signal));
  const dispatcher = createDispatcher({
    storage,
    windowSize: 2 * AT_ONCE,
    consumers: [
      {
        name: 'orchestration-targets',
        // Events from before the first deployment concern none, and are quickly skipped.
        startAt: 'beginning',
        types: TARGET_NEWS,
        concurrency: AT_ONCE,
        backoff: { baseMs: 200, capMs: 60_000 },
        handle: async (event: StoredEvent) => {
          const news = targetNewsOf(event);
          if (news?.kind === 'change') await changes.add(news.change);
          if (news?.kind === 'connection') await connections.add(news.target);
        },
      },
    ],
    onFact: (fact) => tell(fact, log),
  });
  return { name: 'target changes', run: (signal) => dispatcher.run(signal) };
}

async function takeChanges(
  deps: FollowTargetsDeps,
  changes: readonly TargetChange[],
  signal: AbortSignal,
): Promise<void> {
  const { units, changes: taker, clock } = deps;
  const targets = changes.map(({ target }) => target);
  const news = { changes, views: await findAll(deps, targets, signal), now: clock.now() };
  await units.write((unit) => taker.take(unit, news, signal), signal);
}

async function takeConnections({ observer }: FollowTargetsDeps, targets: readonly TargetId[], signal: AbortSignal) {
  const observations = [...new Set(targets)].map((target) => ({ about: 'connection', target }) as const);
  await observer.observe(observations, signal);
}

async function findAll({ storage }: FollowTargetsDeps, targets: readonly TargetId[], signal: AbortSignal) {
  const ids = [...new Set(targets)];
  return knownIn(await storage.read((reader) => targetPool(reader).find(ids, signal), signal));
}

function tell(fact: DispatchFact, log: Logger): void {
  if (fact.kind === 'will-retry') {
    const { error: err, position, key, attempts } = fact;
    log.warn({ err, position, key, attempt: attempts }, 'target change not applied; retrying');
  }
  if (fact.kind === 'dead-letter') {
    const { error: err, position, key, attempts } = fact;
    const told = 'target change given up after repeated failures; :replan the deployments that it concerns';
    log.error({ err, position, key, attempt: attempts }, told);
  }
  if (fact.kind === 'interrupted') {
    log.warn({ err: fact.error, retryInMs: fact.retryInMs }, 'target changes not read; retrying');
  }
}
