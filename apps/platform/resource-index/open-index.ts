import type { ChannelHandler, SessionHub } from '#contexts/channels';
import type { GaugeSource } from '#contexts/governance/adapters';
import {
  type IndexChannel,
  indexInTree,
  indexRowCounts,
  openResourceIndex,
  purgeExpired,
} from '#contexts/resource-index/adapters';
import { targetNotFound } from '#contexts/targets';
import { findTargetNode, targetNodes, targetPool } from '#contexts/targets/adapters';
import type { Route } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import { sleep, systemClock } from '#kit/std';
import type { Storage, Transaction } from '#kit/storage';
import type { SetAside } from '#kit/storage/dead-letters';
import type { Logger, Metrics } from '#kit/telemetry';
import { placeDirectory } from '../enrolment/place-directory.ts';
import { EXECUTOR, type Leadership, writerAsLeader } from '../leadership/leadership.ts';
import type { Purge } from '../maintenance.ts';
import { indexMetrics, watchIndex } from './watch-index.ts';

export interface OpenIndexDeps {
  readonly storage: Storage;
  readonly leadership: Pick<Leadership, 'begun' | 'term'>;
  readonly hub: Pick<SessionHub, 'handle' | 'send' | 'sessions'>;
  readonly metrics: Metrics;
  readonly setAside: (letter: SetAside) => void;
  readonly log: Logger;
}

export interface Index {
  readonly routes: readonly Route[];
  readonly runnables: readonly Runnable[];
  close(): void;
}

/** The index of objects on targets: received from agents on the channel `index`, stored, and served. */
export function openIndex({ storage, leadership, hub, metrics, setAside, log: parent }: OpenIndexDeps): Index {
  const log = parent.child({ component: 'index' });
  // An agent that is connected elsewhere by now compares its objects there: what it sent here may be older.
  const asLeader = writerAsLeader(leadership, EXECUTOR);
  const index = openResourceIndex({
    storage,
    writeIntake: (body, signal) => asLeader((led) => led.write(body, signal), signal),
    workspaces: placeDirectory,
    existing: async (tx, uids, signal) => {
      const found = await targetPool(tx).find(uids, signal);
      return new Set(found.map(({ id }) => id));
    },
    targets: async (uids, signal) => {
      const found = await storage.read((reader) => targetPool(reader).find(uids, signal), signal);
      return found.map(({ id, type, workspacePath }) => ({ uid: id, type, path: workspacePath }));
    },
    targetUid: async (name, signal) => {
      const node = await storage.read((reader) => findTargetNode(reader, name), signal);
      if (node === undefined) throw targetNotFound(name);
      return node.uid;
    },
    agents: channelOf(hub),
    observer: watchIndex({ setAside, log, metrics }),
  });
  hub.handle('index', handlerOf(index, setAside));
  return {
    routes: index.routes,
    runnables: [...index.runnables, indexMetrics({ counts: (signal) => index.counts(signal), metrics, sleep, log })],
    close: () => index.close(),
  };
}

/** The part of the index in deleting or moving workspaces and targets. */
export const INDEX_IN_TREE = {
  moves: indexInTree,
  targets: (tx: Transaction) => ({
    deleted: (gone: { readonly uid: string }, signal: AbortSignal) => indexInTree(tx).targetDeleted(gone, signal),
  }),
  workspaces: (tx: Transaction) => ({
    deleted: (gone: { readonly name: string }, signal: AbortSignal) => indexInTree(tx).workspaceDeleted(gone, signal),
  }),
};

export function indexPurge(storage: Storage): Purge {
  return { name: 'indexed objects', run: (signal) => purgeExpired(storage, systemClock.now(), signal) };
}

/** The rows of the index, in the workspace of the target that they are about. */
export function indexRowsGauge(storage: Storage): GaugeSource {
  return {
    meter: 'indexRows',
    read: (signal) =>
      storage.read(async (reader) => {
        const rows = new Map((await indexRowCounts(reader)).map(({ target, stored }) => [target, stored]));
        const amounts = new Map<string, number>();
        for await (const { uid, workspace } of targetNodes(reader)) {
          const amount = rows.get(uid) ?? 0;
          if (amount > 0) amounts.set(workspace, (amounts.get(workspace) ?? 0) + amount);
        }
        return [...amounts].map(([workspace, amount]) => ({ workspace, amount }));
      }, signal),
  };
}

/** One key, so that all messages about one target arrive in order. */
const KEY = 'index';

function channelOf(hub: OpenIndexDeps['hub']): IndexChannel {
  return {
    send: (target, payload, signal) => hub.send('index', { target, key: KEY, payload }, signal),
    connected: () => hub.sessions().flatMap(({ targets }) => targets.map(({ uid }) => uid)),
  };
}

function handlerOf(
  index: Pick<ReturnType<typeof openResourceIndex>, 'take'>,
  setAside: OpenIndexDeps['setAside'],
): ChannelHandler {
  return {
    mode: 'reliable',
    message: (message) => {
      try {
        index.take(message.target, message.payload, () => message.ack());
      } catch (error) {
        setAside({ source: 'index', subject: `targets/${message.target}`, error });
        message.ack();
      }
    },
  };
}
