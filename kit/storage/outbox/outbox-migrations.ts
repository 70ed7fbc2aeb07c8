import type { MigrationModule } from '../migrations.ts';

const EVENT_COLUMNS = `
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  key KEYTEXT NOT NULL,
  scope KEYTEXT,
  time BIGINT NOT NULL,
  data TEXT NOT NULL`;

const CONSUMER_TABLES = `
CREATE TABLE outbox_consumers (
  name KEYTEXT PRIMARY KEY,
  position BIGINT NOT NULL,
  owner TEXT NOT NULL,
  fence BIGINT NOT NULL,
  lease_until BIGINT NOT NULL
);
CREATE TABLE outbox_held_keys (
  consumer KEYTEXT NOT NULL,
  key KEYTEXT NOT NULL,
  due_at BIGINT NOT NULL,
  PRIMARY KEY (consumer, key)
);
CREATE INDEX outbox_held_keys_due ON outbox_held_keys (consumer, due_at);
CREATE TABLE outbox_deferred (
  position BIGINT NOT NULL,
  consumer KEYTEXT NOT NULL,
  key KEYTEXT NOT NULL,
  attempts BIGINT NOT NULL,
  last_error TEXT,
  PRIMARY KEY (position, consumer)
);
CREATE INDEX outbox_deferred_key ON outbox_deferred (consumer, key, position);
CREATE TABLE outbox_dead_letters (
  position BIGINT NOT NULL,
  consumer KEYTEXT NOT NULL,
  key KEYTEXT NOT NULL,
  attempts BIGINT NOT NULL,
  last_error TEXT,
  failed_at BIGINT NOT NULL,
  PRIMARY KEY (position, consumer)
);`;

/**
 * Writers insert into `outbox` and readers look at `outbox_log`, on both engines. On SQLite, which has one writer, the two
 * are the same rows: the order of insertion is the order of commits. On Postgres they are not, so that rows arrive in
 * `outbox` and the sequencer moves them.
 *
 * DECISION: move, not number in place. A queue is scanned from its old end, where what was taken lies dead until it is
 * vacuumed. A small table is vacuumed often and fast; the log, which keeps weeks of events, is only ever added to.
 */
export const OUTBOX_MIGRATIONS: MigrationModule = {
  module: 'outbox',
  migrations: [
    {
      number: 1,
      name: 'outbox',
      compatibleFrom: 0,
      up: {
        sqlite: `
CREATE TABLE outbox (position INTEGER PRIMARY KEY, ${EVENT_COLUMNS});
CREATE INDEX outbox_scope ON outbox (scope, position) WHERE scope IS NOT NULL;
CREATE VIEW outbox_log AS SELECT position, id, type, key, scope, time, data FROM outbox;
${CONSUMER_TABLES}`,
        postgres: `
CREATE TABLE outbox (sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ${EVENT_COLUMNS});
CREATE TABLE outbox_log (position BIGINT PRIMARY KEY, ${EVENT_COLUMNS});
CREATE INDEX outbox_log_scope ON outbox_log (scope, position) WHERE scope IS NOT NULL;
CREATE TABLE outbox_sequencer ();
${CONSUMER_TABLES}`,
      },
    },
  ],
};
