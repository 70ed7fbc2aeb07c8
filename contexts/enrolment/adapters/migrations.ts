import type { MigrationModule } from '#kit/storage';

/**
 * Of a bootstrap token there is a hash, and the key of an authority is sealed: no table holds what could be shown.
 *
 * Rows know the path of their workspace, as targets do (ADR-0023), so that a list of what somebody may see is a few ranges
 * of an index. Bindings hold the name of the target beside its uid, since names never change.
 */
const TABLES = `
CREATE TABLE enrolment_tokens (
  id KEYTEXT PRIMARY KEY,
  workspace KEYTEXT NOT NULL,
  workspace_path KEYTEXT NOT NULL,
  name KEYTEXT NOT NULL,
  hash TEXT NOT NULL,
  uses BIGINT NOT NULL,
  used BIGINT NOT NULL,
  targets TEXT NOT NULL,
  target_type TEXT,
  correlation TEXT,
  create_time BIGINT NOT NULL,
  expire_time BIGINT NOT NULL,
  UNIQUE (workspace, name)
);
CREATE INDEX enrolment_tokens_by_end ON enrolment_tokens (expire_time);
CREATE TABLE enrolment_fleetlets (
  uid KEYTEXT PRIMARY KEY,
  name KEYTEXT NOT NULL UNIQUE,
  workspace KEYTEXT NOT NULL,
  workspace_path KEYTEXT NOT NULL,
  state TEXT NOT NULL,
  token KEYTEXT,
  key_hash TEXT,
  serial TEXT,
  authority TEXT,
  not_before BIGINT,
  not_after BIGINT,
  in_use_serial TEXT,
  in_use_not_before BIGINT,
  version BIGINT NOT NULL,
  create_time BIGINT NOT NULL,
  update_time BIGINT NOT NULL
);
CREATE INDEX enrolment_fleetlets_by_path ON enrolment_fleetlets (workspace_path, name);
CREATE INDEX enrolment_fleetlets_by_token ON enrolment_fleetlets (token, key_hash);
CREATE TABLE enrolment_bindings (
  fleetlet KEYTEXT NOT NULL REFERENCES enrolment_fleetlets (uid),
  target KEYTEXT NOT NULL,
  name KEYTEXT NOT NULL,
  PRIMARY KEY (fleetlet, target)
);
CREATE INDEX enrolment_bindings_by_target ON enrolment_bindings (target, fleetlet);
CREATE TABLE enrolment_authorities (
  uid KEYTEXT PRIMARY KEY,
  name TEXT NOT NULL,
  certificate TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  sealed_key TEXT NOT NULL,
  create_time BIGINT NOT NULL,
  issue_from BIGINT NOT NULL,
  retire_time BIGINT,
  not_after BIGINT NOT NULL
);`;

export const ENROLMENT_MIGRATIONS: MigrationModule = {
  module: 'enrolment',
  migrations: [{ number: 1, name: 'bootstrap tokens, fleetlets and authorities', compatibleFrom: 0, up: TABLES }],
};

/** For those who change the keys: what is sealed here. */
export const ENROLMENT_SEALED_COLUMNS = [
  { table: 'enrolment_authorities', keys: ['uid'], column: 'sealed_key' },
] as const;
