import type { MigrationModule } from '#kit/storage';

/**
 * `index_objects` is the latest state of what is on targets: it can be had again from their agents, and is in backups only
 * because everything is. The second index answers what buckets sum up to without a look at the rows.
 */
const TABLES = `
CREATE TABLE index_schemas (
  uid KEYTEXT PRIMARY KEY,
  name KEYTEXT NOT NULL,
  workspace KEYTEXT NOT NULL,
  workspace_path KEYTEXT NOT NULL,
  target_type TEXT NOT NULL,
  kinds TEXT NOT NULL,
  version BIGINT NOT NULL,
  create_time BIGINT NOT NULL,
  update_time BIGINT NOT NULL,
  UNIQUE (workspace, name)
);
CREATE INDEX index_schemas_by_path ON index_schemas (workspace_path);
CREATE TABLE index_objects (
  target KEYTEXT NOT NULL,
  type KEYTEXT NOT NULL,
  namespace KEYTEXT NOT NULL,
  name KEYTEXT NOT NULL,
  uid TEXT NOT NULL,
  health TEXT NOT NULL,
  deployment TEXT NOT NULL,
  content TEXT NOT NULL,
  bucket BIGINT NOT NULL,
  digest BIGINT NOT NULL,
  expire_time BIGINT,
  update_time BIGINT NOT NULL,
  PRIMARY KEY (target, type, namespace, name)
);
CREATE INDEX index_objects_by_bucket ON index_objects (target, type, bucket, digest, expire_time);
CREATE INDEX index_objects_by_end ON index_objects (expire_time) WHERE expire_time IS NOT NULL;
CREATE TABLE index_types (
  target KEYTEXT NOT NULL,
  type KEYTEXT NOT NULL,
  state TEXT NOT NULL,
  message TEXT NOT NULL,
  objects BIGINT NOT NULL,
  update_time BIGINT NOT NULL,
  PRIMARY KEY (target, type)
);`;

export const RESOURCE_INDEX_MIGRATIONS: MigrationModule = {
  module: 'resource-index',
  migrations: [{ number: 1, name: 'index schemas and indexed objects', compatibleFrom: 0, up: TABLES }],
};
