import type { MigrationModule } from '#kit/storage';

/**
 * A grant is on a workspace or target that another context keeps, so there is no foreign key for it: its uid says which
 * it is, and whoever deletes that drops its grants in the same transaction. Should one be left over, it is on nothing.
 *
 * `fingerprint` is of what is given to whom on what, so that the same is not given twice.
 */
const TABLES = `
CREATE TABLE access_permission_schemas (
  name KEYTEXT PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  description TEXT,
  resource_type TEXT NOT NULL,
  attributes_schema TEXT NOT NULL,
  roles TEXT NOT NULL,
  version BIGINT NOT NULL,
  create_time BIGINT NOT NULL,
  update_time BIGINT NOT NULL
);
CREATE TABLE access_grants (
  uid KEYTEXT PRIMARY KEY,
  name KEYTEXT NOT NULL,
  resource_kind TEXT NOT NULL,
  resource_name TEXT NOT NULL,
  resource_uid KEYTEXT NOT NULL,
  subject_kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  role TEXT,
  permission KEYTEXT REFERENCES access_permission_schemas (name),
  attributes TEXT,
  fingerprint TEXT NOT NULL UNIQUE,
  granted_by TEXT NOT NULL,
  create_time BIGINT NOT NULL,
  UNIQUE (resource_uid, name),
  CHECK ((role IS NULL) <> (permission IS NULL)),
  CHECK ((attributes IS NULL) = (permission IS NULL))
);
CREATE INDEX access_grants_by_permission ON access_grants (permission, uid);
CREATE INDEX access_grants_by_subject ON access_grants (subject_kind, subject_id, uid);`;

export const ACCESS_MIGRATIONS: MigrationModule = {
  module: 'access',
  migrations: [{ number: 1, name: 'grants', compatibleFrom: 0, up: TABLES }],
};
