import type { AccessIndex } from '#contexts/access';
import { loadAccessIndex } from '#contexts/access/adapters';
import { targetNodes } from '#contexts/targets/adapters';
import { workspaceNodes } from '#contexts/workspaces/adapters';
import type { Runnable } from '#kit/reconcile';
import { Notifier, type Sleep } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { EventLog, StoredEvent } from '#kit/storage/outbox';
import type { Logger } from '#kit/telemetry';
import { changeOf, targetIs, workspaceIs } from './tree-changes.ts';

export interface FollowAccessDeps {
  readonly storage: Storage;
  readonly events: EventLog;
  readonly index: AccessIndex;
  readonly sleep: Sleep;
  readonly log: Logger;
}

const PAGE = 1_000;
/** Announcements of other processes may get lost. */
const LOOK_MS = 1_000;
const RETRY_MS = 1_000;

/**
 * Loads the index and keeps it up to date with changes of other processes; changes of this process are applied
 * directly. The position of the log is noted before the load, so that nothing is missed, and repeated changes are
 * harmless.
 */
export async function followAccess(deps: FollowAccessDeps, signal: AbortSignal): Promise<Runnable> {
  const { storage, events, index } = deps;
  const from = await events.lastPosition(signal);
  await storage.read(async (reader) => {
    for await (const workspace of workspaceNodes(reader)) index.apply(workspaceIs(workspace));
    for await (const target of targetNodes(reader)) index.apply(targetIs(target));
  }, signal);
  await loadAccessIndex({ storage, index }, signal);
  return { name: 'access index', run: (stop) => follow(deps, from, stop) };
}

async function follow({ events, index, sleep, log }: FollowAccessDeps, from: number, stop: AbortSignal): Promise<void> {
  const wake = new Notifier(sleep);
  const stopListening = events.onAdvanced(() => wake.notify());
  try {
    for (let after = from; !stop.aborted; ) {
      try {
        const page = await events.readEvents({ after, limit: PAGE }, stop);
        for (const event of page) tell(index, event, log);
        after = page.at(-1)?.position ?? after;
        if (page.length < PAGE) await wake.wait(LOOK_MS, stop);
      } catch (err) {
        if (stop.aborted) return;
        log.warn({ err, retryInMs: RETRY_MS }, 'access changes of other processes not read; retrying');
        await sleep(RETRY_MS, stop);
      }
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    stopListening();
  }
}

/** An event that cannot be read does not block the following ones. The next start loads the correct state. */
function tell(index: AccessIndex, event: StoredEvent, log: Logger): void {
  try {
    const change = changeOf(event);
    if (change !== undefined) index.apply(change);
  } catch (err) {
    log.error({ err, position: event.position, name: event.type }, 'access event cannot be read; skipped');
  }
}
