import type { AuditSink, AuditEntry as DoneEntry } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import { type Clock, createUuidv7, sleep as realSleep, type Sleep, systemClock } from '#kit/std';
import type { Reader, Storage } from '#kit/storage';
import type { Logger } from '#kit/telemetry';
import { AuditChainer } from '../application/audit-chainer.ts';
import type { HeadKey } from '../application/ports.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';
import { ARRIVED, insertArrival } from './audit-row.ts';
import type { AuditScopes } from './audit-scopes.ts';
import { type HeadDestination, HeadShipper } from './head-shipper.ts';
import { toRefusal } from './http-refusal.ts';
import { RefusalWriter } from './refusal-writer.ts';
import { RepeatedRounds } from './repeated-rounds.ts';
import { SqlChainStore } from './sql-chain-store.ts';

export interface AuditTrailDeps {
  readonly storage: Storage;
  readonly scopes: AuditScopes;
  readonly log: Logger;
  /** Without a key, heads are not authenticated. */
  readonly key?: HeadKey;
  /** Where heads are kept, out of reach of writers to the database. */
  readonly ship?: HeadDestination;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
}

export interface AuditTrail {
  readonly sink: AuditSink;
  /** Run by every process; without them refusals are not written, and no entries are chained. */
  readonly runnables: readonly Runnable[];
}

/** Also periodically: for entries of a process that ended before it chained them, and to close the day. */
const CHAIN_MS = 5_000;

/** Records changes and refusals in the audit log, and chains them. */
export function createAuditTrail(deps: AuditTrailDeps): AuditTrail {
  const { storage, scopes, clock = systemClock } = deps;
  const newId = createUuidv7(clock);
  const refusals = new RefusalWriter({ ...deps, clock, newId });
  const toEntry = async (done: DoneEntry, tx: Reader | undefined): Promise<AuditEntry> => {
    const { params: _, ...entry } = toRefusal(done);
    return { ...entry, id: newId(), lastTime: done.time, count: 1, scope: await scopes.scopeOf(done, tx) };
  };
  const sink: AuditSink = {
    append: async (tx, entry) => {
      await tx.run(insertArrival(await toEntry(entry, tx)));
    },
    note: async (entry, signal) => {
      await storage.commit([insertArrival(await toEntry(entry, undefined))], signal);
    },
    refused: (entry) => refusals.take(entry),
  };
  const { ship: send, log, sleep = realSleep } = deps;
  const shipper = send && new HeadShipper({ send, sleep, log });
  return { sink, runnables: [refusals, chainer(deps, shipper), ...(shipper === undefined ? [] : [shipper])] };
}

function chainer(deps: AuditTrailDeps, shipper: HeadShipper | undefined): Runnable {
  const { storage, log, key, clock = systemClock, sleep = realSleep } = deps;
  const audit = new AuditChainer(new SqlChainStore(storage), key);
  let isTold = false;
  // A process may have ended before it sent the newest head, so the first round offers that head again.
  let isOffered = false;
  const rounds = new RepeatedRounds({
    sleep,
    everyMs: CHAIN_MS,
    round: async (signal) => {
      const { chained, again, closedDay, head, isForged } = await audit.round(clock.now(), signal);
      if (isForged && !isTold) {
        log.error({ subject: 'audit' }, 'audit log head not authenticated: it was not written by this platform');
      }
      isTold = isForged;
      const isLeftOver = !isOffered && !isForged && (head?.position ?? 0) > 0;
      if (head !== undefined && (chained > 0 || isLeftOver)) {
        isOffered = true;
        const { position, hash, mac } = head;
        const time = new Date(clock.now()).toISOString();
        shipper?.offer({ position, hash, ...(mac === undefined ? {} : { mac }), time });
      }
      if (closedDay !== undefined) {
        const { day, position, hash } = closedDay;
        log.info({ subject: 'audit', name: day, position, key: hash }, 'head of the audit log at the end of the day');
      }
      return again;
    },
    onTrouble: (err, retryInMs) => log.warn({ err, retryInMs }, 'audit entries not chained; retrying'),
  });
  return {
    name: 'audit chainer',
    run: async (signal) => {
      const stopListening = storage.onAnnounced(ARRIVED, () => rounds.raise());
      try {
        await rounds.run(signal);
      } finally {
        stopListening();
      }
    },
  };
}
