import type { Sealer } from '#kit/sealing';
import { KeyedMutex, Semaphore, type Uuid } from '#kit/std';
import type { Reader, Storage, Transaction } from '#kit/storage';
import type { RequiredGates, TargetPool, UnitOfWork, Units, WorkspaceDirectory } from '../../application/ports.ts';
import { SqlGroupStore } from '../groups/sql-group-store.ts';
import { OutboxEventSink } from '../outbox-event-sink.ts';
import { SqlGeneratedStore } from '../pipeline/sql-generated-store.ts';
import { SqlApprovalStore } from './sql-approval-store.ts';
import { SqlAuthorStore } from './sql-author-store.ts';
import { SqlContentStore } from './sql-content-store.ts';
import { SqlDeploymentStore } from './sql-deployment-store.ts';
import { SqlDeploymentTargetStore } from './sql-deployment-target-store.ts';
import { SqlRemovalStore } from './sql-removal-store.ts';
import { SqlRevisionStore } from './sql-revision-store.ts';
import { SqlRolloutStore } from './sql-rollout-store.ts';
import { SqlScoreStore } from './sql-score-store.ts';
import { SqlTriggerStore } from './sql-trigger-store.ts';
import { SqlWatchStore } from './sql-watch-store.ts';

export interface OrchestrationUnitDeps {
  /** For rows and events. Ids must be ascending, which keeps triggers and events in order. */
  readonly newId: () => Uuid;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  /** The targets and workspaces as the same transaction sees them. */
  readonly pool: (reader: Reader) => TargetPool;
  readonly workspaces: (reader: Reader) => WorkspaceDirectory;
  /** The gates that policies require; none by default. */
  readonly requiredGates?: (reader: Reader) => RequiredGates;
}

const NONE_REQUIRED: RequiredGates = { of: async () => [] };

/** Wraps a transaction as a unit of work. The caller that opened the transaction also ends it. */
export function orchestrationUnitOfWork(tx: Transaction, deps: OrchestrationUnitDeps): UnitOfWork {
  const { newId, sealer, pool, workspaces, requiredGates = () => NONE_REQUIRED } = deps;
  return {
    deployments: new SqlDeploymentStore(tx),
    triggers: new SqlTriggerStore(tx, newId),
    targets: new SqlDeploymentTargetStore(tx),
    revisions: new SqlRevisionStore(tx),
    rollouts: new SqlRolloutStore(tx, { newId }),
    contents: new SqlContentStore(tx, sealer),
    generated: new SqlGeneratedStore(tx),
    removals: new SqlRemovalStore(tx),
    approvals: new SqlApprovalStore(tx),
    authors: new SqlAuthorStore(tx),
    watches: new SqlWatchStore(tx),
    scores: new SqlScoreStore(tx),
    groups: new SqlGroupStore(tx),
    pool: pool(tx),
    workspaces: workspaces(tx),
    requiredGates: requiredGates(tx),
    events: new OutboxEventSink(tx, newId),
  };
}

/**
 * `atOnce` bounds the writes of pipelines, and as many reads. Any number of them may have work, after many changes for example: a
 * request then waits for few of them and not for all, and on Postgres they leave connections to others.
 */
export function sqlUnits(
  storage: Storage,
  deps: OrchestrationUnitDeps,
  { atOnce = 1_000 }: { readonly atOnce?: number } = {},
): Units {
  const units = new KeyedMutex();
  const writers = new Semaphore(atOnce);
  const readers = new Semaphore(atOnce);
  const write: Units['write'] = (body, signal) =>
    storage.write((tx) => body(orchestrationUnitOfWork(tx, deps)), signal);
  return {
    write,
    writeOf: (deployments, body, signal) =>
      units.run(deployments, () => writers.run(() => write(body, signal), signal), signal),
    read: (body, signal) =>
      readers.run(
        () => storage.read((reader) => body(orchestrationUnitOfWork(lookingOnly(reader), deps)), signal),
        signal,
      ),
  };
}

function lookingOnly(reader: Reader): Transaction {
  const refuse = async (): Promise<never> => {
    throw new TypeError('a read-only unit of work was asked to write');
  };
  return {
    all: (statement) => reader.all(statement),
    get: (statement) => reader.get(statement),
    run: refuse,
    batch: refuse,
  };
}
