import type { MigrationModule } from '#kit/storage';

/**
 * `run`, `runs`, `news` and `heard` are the pipeline's: while `run` is set, the workflow `deployments/<uid>/<run>` is
 * under way. Whoever has something for it counts up `news` in the transaction that makes it true, and the workflow notes
 * what it has heard. They are not part of what the API shows, and do not count in `version`.
 */
const DEPLOYMENTS = `
CREATE TABLE deployments (
  uid KEYTEXT PRIMARY KEY,
  name KEYTEXT NOT NULL,
  workspace KEYTEXT NOT NULL,
  workspace_path KEYTEXT NOT NULL,
  labels TEXT NOT NULL,
  spec TEXT NOT NULL,
  rollout_state TEXT NOT NULL,
  owner_group KEYTEXT,
  owner_child TEXT,
  deletion TEXT,
  generation BIGINT NOT NULL,
  observed_generation BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  rollout BIGINT,
  approved_generation BIGINT,
  status TEXT NOT NULL,
  version BIGINT NOT NULL,
  create_time BIGINT NOT NULL,
  update_time BIGINT NOT NULL,
  run BIGINT,
  runs BIGINT NOT NULL DEFAULT 0,
  news BIGINT NOT NULL DEFAULT 0,
  heard BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX deployments_by_name ON deployments (workspace, name);
CREATE INDEX deployments_by_path ON deployments (workspace_path, name);
CREATE INDEX deployments_by_owner ON deployments (owner_group) WHERE owner_group IS NOT NULL;
CREATE INDEX deployments_running ON deployments (uid) WHERE run IS NOT NULL;

CREATE TABLE deployment_triggers (
  id KEYTEXT PRIMARY KEY,
  deployment KEYTEXT NOT NULL,
  time BIGINT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX deployment_triggers_by_deployment ON deployment_triggers (deployment, id);

CREATE TABLE deployment_authors (
  deployment KEYTEXT NOT NULL,
  author KEYTEXT NOT NULL,
  generation BIGINT NOT NULL,
  PRIMARY KEY (deployment, author)
);`;

/** `order_*` is set while something is asked of the target; `content_*` is what its agent said that it has. */
const TARGETS = `
CREATE TABLE deployment_targets (
  deployment KEYTEXT NOT NULL,
  target KEYTEXT NOT NULL,
  name KEYTEXT NOT NULL,
  type TEXT NOT NULL,
  is_placed BIGINT NOT NULL,
  is_online BIGINT NOT NULL,
  applied_revision BIGINT,
  applied_hash TEXT,
  order_kind TEXT,
  order_revision BIGINT,
  order_batch BIGINT,
  order_state TEXT,
  order_hash TEXT,
  order_since BIGINT,
  failure TEXT,
  health TEXT NOT NULL,
  health_revision BIGINT NOT NULL,
  health_message TEXT NOT NULL,
  is_owed BIGINT NOT NULL,
  drift TEXT NOT NULL,
  instance TEXT,
  update_time BIGINT NOT NULL,
  PRIMARY KEY (deployment, target)
);
CREATE INDEX deployment_targets_by_target ON deployment_targets (target);
CREATE INDEX deployment_targets_by_name ON deployment_targets (deployment, name);
CREATE INDEX deployment_targets_by_order ON deployment_targets (deployment, order_batch) WHERE order_batch IS NOT NULL;`;

/** A revision is a rollout: who asked for it, of what spec, and what became of it. */
const REVISIONS = `
CREATE TABLE deployment_revisions (
  deployment KEYTEXT NOT NULL,
  revision BIGINT NOT NULL,
  generation BIGINT NOT NULL,
  spec TEXT NOT NULL,
  trigger_text TEXT NOT NULL,
  requested_by TEXT NOT NULL,
  rollback_to BIGINT,
  is_paced BIGINT NOT NULL,
  create_time BIGINT NOT NULL,
  end_time BIGINT,
  outcome TEXT,
  message TEXT,
  turns BIGINT NOT NULL,
  PRIMARY KEY (deployment, revision)
);

CREATE TABLE rollout_turns (
  deployment KEYTEXT NOT NULL,
  revision BIGINT NOT NULL,
  turn BIGINT NOT NULL,
  time BIGINT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (deployment, revision, turn)
);

CREATE TABLE rollout_snapshots (
  deployment KEYTEXT NOT NULL,
  revision BIGINT NOT NULL,
  turn BIGINT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (deployment, revision)
);

CREATE TABLE rollout_inbox (
  id KEYTEXT PRIMARY KEY,
  deployment KEYTEXT NOT NULL,
  revision BIGINT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX rollout_inbox_by_rollout ON rollout_inbox (deployment, revision, id);

CREATE TABLE approvals (
  uid KEYTEXT PRIMARY KEY,
  deployment KEYTEXT NOT NULL,
  revision BIGINT NOT NULL,
  gate KEYTEXT NOT NULL,
  step TEXT NOT NULL,
  workspace KEYTEXT NOT NULL,
  workspace_path KEYTEXT NOT NULL,
  deployment_name KEYTEXT NOT NULL,
  requested_by TEXT NOT NULL,
  requesters TEXT NOT NULL,
  needs_distinct BIGINT NOT NULL,
  create_time BIGINT NOT NULL,
  expire_time BIGINT,
  state TEXT NOT NULL,
  answered_by TEXT,
  answer_time BIGINT,
  is_override BIGINT NOT NULL,
  message TEXT,
  version BIGINT NOT NULL
);
CREATE UNIQUE INDEX approvals_by_gate ON approvals (deployment, revision, gate);
CREATE INDEX approvals_by_workspace ON approvals (workspace_path, uid);

CREATE TABLE deployment_watches (
  watcher KEYTEXT NOT NULL,
  revision BIGINT NOT NULL,
  gate KEYTEXT NOT NULL,
  watched KEYTEXT NOT NULL,
  PRIMARY KEY (watcher, revision, gate)
);
CREATE INDEX deployment_watches_by_watched ON deployment_watches (watched);`;

/**
 * Content is kept once, however many targets and revisions have it. A row of `revision_contents` holds from its revision
 * on, until the next of the same target: what does not change from one revision to the next is not written again.
 * `content_secret_uses` says which contents, deployments and revisions refer to a secret: one that none refers to is
 * purged. `deployment` is set for specs, whose uses end with the deployment.
 */
const CONTENTS = `
CREATE TABLE contents (
  hash KEYTEXT PRIMARY KEY,
  documents TEXT NOT NULL
);
CREATE TABLE content_secrets (
  reference KEYTEXT PRIMARY KEY,
  sealed TEXT NOT NULL
);
CREATE TABLE content_secret_uses (
  reference KEYTEXT NOT NULL,
  holder KEYTEXT NOT NULL,
  deployment KEYTEXT,
  PRIMARY KEY (reference, holder)
);
CREATE INDEX content_secret_uses_by_holder ON content_secret_uses (holder);
CREATE TABLE revision_contents (
  deployment KEYTEXT NOT NULL,
  target KEYTEXT NOT NULL,
  revision BIGINT NOT NULL,
  hash KEYTEXT,
  PRIMARY KEY (deployment, target, revision)
);
CREATE INDEX revision_contents_by_hash ON revision_contents (hash);`;

const SCORES = `
CREATE TABLE target_scores (
  target KEYTEXT NOT NULL,
  name KEYTEXT NOT NULL,
  value DOUBLE PRECISION NOT NULL,
  time BIGINT NOT NULL,
  PRIMARY KEY (target, name)
);`;

/** What the platform itself was delivered: groups, and how far their controller has come with them. */
const GROUPS = `
CREATE TABLE deployment_groups (
  deployment KEYTEXT PRIMARY KEY,
  revision BIGINT NOT NULL,
  hash TEXT NOT NULL,
  document TEXT NOT NULL,
  state TEXT NOT NULL,
  run BIGINT,
  runs BIGINT NOT NULL DEFAULT 0,
  news BIGINT NOT NULL DEFAULT 0,
  heard BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX deployment_groups_running ON deployment_groups (deployment) WHERE run IS NOT NULL;`;

/**
 * What was generated for the plan and the rollout under way, by deployment and target; the target is empty if the content
 * is the same for all. `hash` is that of the content, and NULL once the strategy has announced that it would differ.
 */
const GENERATED = `
CREATE TABLE generated_contents (
  deployment KEYTEXT NOT NULL,
  target KEYTEXT NOT NULL,
  inputs TEXT NOT NULL,
  invalidation TEXT NOT NULL,
  hash KEYTEXT,
  PRIMARY KEY (deployment, target)
);
CREATE INDEX generated_contents_by_hash ON generated_contents (hash) WHERE hash IS NOT NULL;`;

/** What strategies have yet to be told: the deployment is off the target. `body` is the context of the call. */
const REMOVALS = `
CREATE TABLE owed_removals (
  deployment KEYTEXT NOT NULL,
  target KEYTEXT NOT NULL,
  strategy TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  body TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  failure TEXT,
  create_time BIGINT NOT NULL,
  next_time BIGINT NOT NULL,
  PRIMARY KEY (deployment, target)
);
CREATE INDEX owed_removals_by_time ON owed_removals (next_time);`;

export const ORCHESTRATION_MIGRATIONS: MigrationModule = {
  module: 'orchestration',
  migrations: [
    {
      number: 1,
      name: 'deployments, revisions, contents and groups',
      compatibleFrom: 0,
      up: [DEPLOYMENTS, TARGETS, REVISIONS, CONTENTS, GENERATED, SCORES, GROUPS].join('\n'),
    },
    { number: 2, name: 'what strategies are owed after a removal', compatibleFrom: 1, up: REMOVALS },
  ],
};
