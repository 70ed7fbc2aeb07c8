import type { MigrationModule } from '#kit/storage';

const TABLES = `
CREATE TABLE durable_workflows (
  id KEYTEXT PRIMARY KEY,
  name TEXT NOT NULL,
  run BIGINT NOT NULL,
  status TEXT NOT NULL,
  paused INTEGER NOT NULL,
  begun INTEGER NOT NULL,
  waiting INTEGER NOT NULL,
  input TEXT NOT NULL,
  carried TEXT,
  result TEXT,
  reason TEXT,
  started_at BIGINT NOT NULL,
  run_started_at BIGINT NOT NULL,
  ended_at BIGINT,
  parent KEYTEXT,
  parent_step BIGINT
);
CREATE INDEX durable_workflows_open ON durable_workflows (id) WHERE ended_at IS NULL AND waiting = 0;
CREATE INDEX durable_workflows_ended ON durable_workflows (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX durable_workflows_listed ON durable_workflows (started_at, id);
CREATE TABLE durable_timers (
  workflow KEYTEXT NOT NULL,
  step BIGINT NOT NULL,
  due_at BIGINT NOT NULL,
  PRIMARY KEY (workflow, step)
);
CREATE INDEX durable_timers_due ON durable_timers (due_at);
CREATE TABLE durable_attempts (
  workflow KEYTEXT NOT NULL,
  step BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  retry_at BIGINT NOT NULL,
  error TEXT NOT NULL,
  PRIMARY KEY (workflow, step)
);
CREATE TABLE durable_lease (
  name KEYTEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  fence BIGINT NOT NULL,
  beat BIGINT NOT NULL
);`;

const HISTORY_COLUMNS = `
  workflow KEYTEXT NOT NULL,
  run BIGINT NOT NULL,
  position BIGINT NOT NULL,
  turn BIGINT NOT NULL,
  kind TEXT NOT NULL,
  step BIGINT NOT NULL,
  name TEXT NOT NULL,
  input TEXT,
  result TEXT,
  error TEXT,
  signal_id TEXT,
  time BIGINT NOT NULL,
  PRIMARY KEY (workflow, run, position)`;

const MAIL_COLUMNS = `
  workflow KEYTEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  step BIGINT NOT NULL,
  payload TEXT,
  error TEXT,
  signal_id TEXT,
  time BIGINT NOT NULL`;

const MAIL_INDEX = `
CREATE UNIQUE INDEX durable_mail_signal ON durable_mail (workflow, signal_id) WHERE signal_id IS NOT NULL;`;

/**
 * `durable_workflows` holds what is true of a workflow now, `durable_history` what it was told, in order. Whatever comes to
 * it from outside waits in `durable_mail`, and leaves it in the transaction that writes it into the history.
 *
 * `waiting` says that nothing but mail or a timer can move it: such a workflow costs rows and no memory, and a start need
 * not look at it.
 */
export const DURABLE_MIGRATIONS: MigrationModule = {
  module: 'durable',
  migrations: [
    {
      number: 1,
      name: 'workflows',
      compatibleFrom: 0,
      up: {
        sqlite: `${TABLES}
CREATE TABLE durable_history (${HISTORY_COLUMNS}) WITHOUT ROWID;
CREATE TABLE durable_mail (seq INTEGER PRIMARY KEY AUTOINCREMENT, ${MAIL_COLUMNS});
${MAIL_INDEX}`,
        postgres: `${TABLES}
CREATE TABLE durable_history (${HISTORY_COLUMNS});
CREATE TABLE durable_mail (seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ${MAIL_COLUMNS});
${MAIL_INDEX}`,
      },
    },
  ],
};
