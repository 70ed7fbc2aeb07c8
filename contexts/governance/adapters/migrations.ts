import type { MigrationModule } from '#kit/storage';
import { CHAIN_START } from '../domain/audit-chain.ts';

const ENTRY_COLUMNS = `
  time BIGINT NOT NULL,
  last_time BIGINT NOT NULL,
  count BIGINT NOT NULL,
  request_id TEXT NOT NULL,
  client_request_id TEXT,
  operation TEXT NOT NULL,
  method TEXT NOT NULL,
  resource KEYTEXT NOT NULL,
  scope KEYTEXT,
  principal_kind KEYTEXT,
  principal_id KEYTEXT,
  token_id TEXT,
  session_id TEXT,
  address TEXT NOT NULL,
  outcome KEYTEXT NOT NULL,
  before_hash TEXT,
  after_hash TEXT`;

/**
 * Writers insert into `audit_arrivals`, each a row of its own, so that two of them never meet. The chainer moves them to
 * `audit_log` and gives them their places. `audit_chain` has two rows: where the chain starts (behind what was purged) and
 * where it ends.
 *
 * Lists are in the order of ids, which tell when but not how many: a position would show those who see a part of the
 * log how much there is beside it.
 */
const AUDIT = `
CREATE TABLE audit_arrivals (id KEYTEXT PRIMARY KEY, ${ENTRY_COLUMNS});
CREATE TABLE audit_log (
  position BIGINT PRIMARY KEY,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  id KEYTEXT NOT NULL UNIQUE, ${ENTRY_COLUMNS}
);
CREATE INDEX audit_log_scope ON audit_log (scope, id);
CREATE INDEX audit_log_principal ON audit_log (principal_id, id);
CREATE INDEX audit_log_resource ON audit_log (resource, id);
CREATE TABLE audit_chain (
  name KEYTEXT PRIMARY KEY,
  position BIGINT NOT NULL,
  hash TEXT NOT NULL,
  head_mac TEXT,
  time BIGINT
);
CREATE TABLE audit_days (
  day KEYTEXT PRIMARY KEY,
  position BIGINT NOT NULL,
  hash TEXT NOT NULL
);
INSERT INTO audit_chain (name, position, hash) VALUES
  ('start', ${CHAIN_START.position}, '${CHAIN_START.hash}'), ('head', ${CHAIN_START.position}, '${CHAIN_START.hash}');`;

/**
 * A new workspace may reuse the name of a deleted one, even on the same day. `born`, the creation time of the workspace, keeps
 * their counters in separate rows. Readers attribute a row by `time`, its last count.
 *
 * `usage_writers` has a row for each process that counts: the number of its last batch, so that a batch whose commit is in
 * doubt is not counted twice.
 */
const USAGE = `
CREATE TABLE usage_counters (
  day KEYTEXT NOT NULL,
  workspace KEYTEXT NOT NULL,
  born BIGINT NOT NULL,
  meter KEYTEXT NOT NULL,
  path KEYTEXT NOT NULL,
  amount BIGINT NOT NULL,
  time BIGINT NOT NULL,
  PRIMARY KEY (day, workspace, born, meter)
);
CREATE INDEX usage_counters_path ON usage_counters (path, day);
CREATE TABLE usage_writers (
  writer KEYTEXT PRIMARY KEY,
  batch BIGINT NOT NULL,
  time BIGINT NOT NULL
);`;

export const GOVERNANCE_MIGRATIONS: MigrationModule = {
  module: 'governance',
  migrations: [{ number: 1, name: 'audit and usage', compatibleFrom: 0, up: AUDIT + USAGE }],
};
