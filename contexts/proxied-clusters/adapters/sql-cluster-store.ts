import { type Reader, type Row, type Statement, sql, type Transaction } from '#kit/storage';
import type { ClusterStore } from '../application/ports.ts';
import {
  CLUSTER_STATES,
  type ClusterState,
  type Observation,
  type ProxiedCluster,
  USER_KINDS,
  type UserKind,
} from '../domain/proxied-cluster.ts';
import { ProxiedClusterError } from '../domain/proxied-cluster-error.ts';

/** Announced with each change of the clusters to be served. */
export const CHANGED_TOPIC = 'proxied-clusters';

const COLUMNS = sql.raw(
  'target, name, sealed_kubeconfig, server, user_kind, impersonates, insecure, version, create_time, update_time, state, message, cluster_uid, cluster_version, observe_time',
);

/** For both engines, within one transaction. */
export class SqlClusterStore implements ClusterStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find(target: string, signal: AbortSignal): Promise<ProxiedCluster | undefined> {
    signal.throwIfAborted();
    return await findCluster(this.#tx, target);
  }

  async save(cluster: ProxiedCluster, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { target, facts, sealed, version, createTime, updateTime, observed } = cluster;
    await this.#tx.run(sql`DELETE FROM proxied_clusters WHERE target = ${target.uid}`);
    await this.#tx.run(
      sql.announce(
        CHANGED_TOPIC,
        sql`INSERT INTO proxied_clusters (${COLUMNS})
            VALUES (${target.uid}, ${target.name}, ${sealed}, ${facts.server}, ${facts.user},
              ${facts.impersonates ?? null}, ${facts.isInsecure ? 1 : 0}, ${version}, ${createTime}, ${updateTime},
              ${observed.state}, ${observed.message}, ${observed.clusterUid ?? null}, ${observed.clusterVersion ?? null},
              ${observed.time})`,
      ),
    );
  }

  async remove(target: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#tx.run(sql.announce(CHANGED_TOPIC, sql`DELETE FROM proxied_clusters WHERE target = ${target}`));
  }
}

export async function findCluster(reader: Reader, target: string): Promise<ProxiedCluster | undefined> {
  const row = await reader.get(sql`SELECT ${COLUMNS} FROM proxied_clusters WHERE target = ${target}`);
  return row && toCluster(row);
}

/** All clusters, with the version of their kubeconfig and their last state. */
export const ALL_CLUSTERS: Statement = sql`SELECT target, name, version, state FROM proxied_clusters ORDER BY name, target`;

/** Only if the kubeconfig still has the observed version. */
export function observeCluster(target: string, version: number, observed: Observation): Statement {
  const { state, message, clusterUid, clusterVersion, time } = observed;
  return sql`
    UPDATE proxied_clusters
    SET state = ${state}, message = ${message}, cluster_uid = COALESCE(${clusterUid ?? null}, cluster_uid),
      cluster_version = COALESCE(${clusterVersion ?? null}, cluster_version), observe_time = ${time}
    WHERE target = ${target} AND version = ${version}`;
}

function toCluster(row: Row): ProxiedCluster {
  const text = (column: string): string | undefined => (row[column] == null ? undefined : String(row[column]));
  return {
    target: { uid: String(row['target']), name: String(row['name']) },
    facts: {
      server: String(row['server']),
      user: known<UserKind>(USER_KINDS, row['user_kind']),
      impersonates: text('impersonates'),
      isInsecure: row['insecure'] === 1,
    },
    sealed: String(row['sealed_kubeconfig']),
    version: Number(row['version']),
    createTime: Number(row['create_time']),
    updateTime: Number(row['update_time']),
    observed: {
      state: known<ClusterState>(CLUSTER_STATES, row['state']),
      message: String(row['message']),
      clusterUid: text('cluster_uid'),
      clusterVersion: text('cluster_version'),
      time: Number(row['observe_time']),
    },
  };
}

/** A restored or repaired database can hold anything. */
function known<T extends string>(all: readonly T[], value: unknown): T {
  const found = all.find((each) => each === value);
  if (found === undefined) throw new ProxiedClusterError('STORED_CLUSTER_INVALID', 'read the kubeconfig of a target');
  return found;
}
