import type { MigrationModule } from '#kit/storage';

/** A row for each target that the platform reaches by itself. What was last seen of it is not of its version. */
const TABLES = `
CREATE TABLE proxied_clusters (
  target KEYTEXT PRIMARY KEY,
  name KEYTEXT NOT NULL,
  sealed_kubeconfig TEXT NOT NULL,
  server TEXT NOT NULL,
  user_kind TEXT NOT NULL,
  impersonates TEXT,
  insecure BIGINT NOT NULL,
  version BIGINT NOT NULL,
  create_time BIGINT NOT NULL,
  update_time BIGINT NOT NULL,
  state TEXT NOT NULL,
  message TEXT NOT NULL,
  cluster_uid TEXT,
  cluster_version TEXT,
  observe_time BIGINT NOT NULL
);`;

export const PROXIED_CLUSTER_MIGRATIONS: MigrationModule = {
  module: 'proxied-clusters',
  migrations: [{ number: 1, name: 'kubeconfigs of targets', compatibleFrom: 0, up: TABLES }],
};

/** For those who change the keys: what is sealed here. */
export const PROXIED_CLUSTER_SEALED_COLUMNS = [
  { table: 'proxied_clusters', keys: ['target'], column: 'sealed_kubeconfig' },
] as const;
