import type { MigrationModule } from '#kit/storage';
import { CHAIN_START } from '../domain/audit-chain.ts';

const ENTRY_COLUMNS = `
  time BIGINT NOT NULL,
  last_time BIGINT NOT NULL,
  count BIGINT NOT NULL,
  request_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  method TEXT NOT NULL,
  resource KEYTEXT NOT NULL,
  scope KEYTEXT,
  principal_kind KEYTEXT,
  principal_id KEYTEXT,
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
 * `usage_writers` has a row for each process that counts: the number of its last batch, by which a batch whose commit
 * may or may not have happened is not counted twice.
 */
const USAGE = `
CREATE TABLE usage_counters (
  day KEYTEXT NOT NULL,
  workspace KEYTEXT NOT NULL,
  meter KEYTEXT NOT NULL,
  path KEYTEXT NOT NULL,
  amount BIGINT NOT NULL,
  PRIMARY KEY (day, workspace, meter)
);
CREATE INDEX usage_counters_path ON usage_counters (path, day);
CREATE TABLE usage_writers (
  writer KEYTEXT PRIMARY KEY,
  batch BIGINT NOT NULL,
  time BIGINT NOT NULL
);`;

/**
 * A name may be another workspace's by now, even on the same day: `born` keeps their amounts apart, and `time`, of the last
 * count, tells whose they are. What was counted before has its day alone, and counts as its end.
 *
 * DECISION: the table is made anew, as the key changes. A process of the release before cannot write usage meanwhile; it
 * goes on counting, and warns. Nothing else of it is held up.
 */
const usageOfEach = (endOfDay: string): string => `
CREATE TABLE usage_counters_of_each (
  day KEYTEXT NOT NULL,
  workspace KEYTEXT NOT NULL,
  born BIGINT NOT NULL,
  meter KEYTEXT NOT NULL,
  path KEYTEXT NOT NULL,
  amount BIGINT NOT NULL,
  time BIGINT NOT NULL,
  PRIMARY KEY (day, workspace, born, meter)
);
INSERT INTO usage_counters_of_each (day, workspace, born, meter, path, amount, time)
  SELECT day, workspace, 0, meter, path, amount, ${endOfDay} FROM usage_counters;
DROP TABLE usage_counters;
ALTER TABLE usage_counters_of_each RENAME TO usage_counters;
CREATE INDEX usage_counters_path ON usage_counters (path, day);`;

const USAGE_OF_EACH = {
  sqlite: usageOfEach('unixepoch(day) * 1000 + 86399999'),
  postgres: usageOfEach(`extract(epoch FROM (day || 'T00:00:00Z')::timestamptz)::bigint * 1000 + 86399999`),
};

/** A process of the release before goes on without them: what it writes names no token. */
const AUDIT_CREDENTIALS = ['audit_arrivals', 'audit_log']
  .flatMap((table) => ['token_id', 'session_id'].map((column) => `ALTER TABLE ${table} ADD COLUMN ${column} TEXT;`))
  .join('\n');

export const GOVERNANCE_MIGRATIONS: MigrationModule = {
  module: 'governance',
  migrations: [
    { number: 1, name: 'audit', compatibleFrom: 0, up: AUDIT },
    { number: 2, name: 'usage', compatibleFrom: 1, up: USAGE },
    { number: 3, name: 'usage of each workspace that had a name', compatibleFrom: 2, up: USAGE_OF_EACH },
    { number: 4, name: 'audit names tokens and sessions', compatibleFrom: 3, up: AUDIT_CREDENTIALS },
  ],
};
