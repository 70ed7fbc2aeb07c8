import { targetPool } from '#contexts/targets/adapters';
import { Notifier, type Sleep } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { EventLog, StoredEvent } from '#kit/storage/outbox';
import type { Logger } from '#kit/telemetry';
import type { TargetId, TargetRef } from '#protocol/targets';
import { SIMULATED_TYPE } from './demo-resources.ts';

export interface FollowSimulatedDeps {
  readonly storage: Storage;
  readonly events: EventLog;
  readonly fleet: { add(targets: readonly TargetRef[]): void; remove(targets: readonly TargetId[]): void };
  readonly sleep: Sleep;
  readonly log: Logger;
}

const PAGE = 1_000;
const LOOK_MS = 5_000;
const RETRY_MS = 1_000;
/** The common prefix of all paths. */
const EVERYWHERE = '/';

/**
 * Keeps a simulated target for every registered target of the type, also those created by hand, until it is deleted.
 */
export async function followSimulatedTargets(deps: FollowSimulatedDeps, stop: AbortSignal): Promise<void> {
  const { events, fleet, sleep, log } = deps;
  const wake = new Notifier(sleep);
  const stopListening = events.onAdvanced(() => wake.notify());
  try {
    for (let after: number | undefined; !stop.aborted; ) {
      try {
        after ??= await addAll(deps, stop);
        const page = await events.readEvents({ after, limit: PAGE }, stop);
        for (const event of page) take(fleet, event);
        after = page.at(-1)?.position ?? after;
        if (page.length < PAGE) await wake.wait(LOOK_MS, stop);
      } catch (err) {
        if (stop.aborted) return;
        log.warn({ err, retryInMs: RETRY_MS }, 'simulated targets not read; retrying');
        await sleep(RETRY_MS, stop);
      }
    }
  } finally {
    stopListening();
  }
}

/** The position is noted before the read, so that nothing is missed; repeated events are harmless. */
async function addAll({ storage, events, fleet }: FollowSimulatedDeps, signal: AbortSignal): Promise<number> {
  const position = await events.lastPosition(signal);
  const all = await storage.read((reader) => targetPool(reader).below(EVERYWHERE, signal), signal);
  const ours = all.filter(({ type }) => type === SIMULATED_TYPE);
  fleet.add(ours.map(({ id, name, type }) => refOf({ uid: id, name, type })));
  return position;
}

interface TargetFacts {
  readonly uid: string;
  readonly name: string;
  readonly type: string;
}

function take(fleet: FollowSimulatedDeps['fleet'], { type, data }: StoredEvent): void {
  if (type !== 'target.created' && type !== 'target.deleted') return;
  const target = data as TargetFacts;
  if (target.type !== SIMULATED_TYPE) return;
  const ref = refOf(target);
  if (type === 'target.created') fleet.add([ref]);
  else fleet.remove([ref.id]);
}

function refOf({ uid, name, type }: TargetFacts): TargetRef {
  // Delivery identifies a target by its uid.
  return { id: uid as TargetId, name, type };
}
