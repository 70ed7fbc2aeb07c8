import type { MigrationModule } from '#kit/storage';

/**
 * DECISION: a target's row holds the path of its workspace, and not only its name. "In this subtree" is then one range of
 * one index, as it is for workspaces, without a join across two contexts' tables. A move of a workspace rewrites the
 * paths of the targets below it in one statement, in its own transaction (ADR-0023).
 *
 * There is no foreign key to the workspaces: a context's tables stand alone, and transactions are serialisable. Who
 * registers or assigns has read the workspace in the same transaction, and who deletes a workspace its targets.
 */
const TARGETS = `
CREATE TABLE targets (
  name KEYTEXT PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  workspace KEYTEXT NOT NULL,
  workspace_path KEYTEXT NOT NULL,
  labels TEXT NOT NULL,
  reported_labels TEXT NOT NULL,
  properties TEXT NOT NULL,
  reported_properties TEXT NOT NULL,
  manifest_types TEXT NOT NULL,
  lifecycle TEXT NOT NULL,
  connection_state TEXT NOT NULL,
  last_seen_time BIGINT,
  conditions TEXT NOT NULL,
  generation BIGINT NOT NULL,
  version BIGINT NOT NULL,
  create_time BIGINT NOT NULL,
  update_time BIGINT NOT NULL,
  alias_of KEYTEXT
);
CREATE INDEX targets_by_path ON targets (workspace_path, name);
CREATE INDEX targets_by_alias ON targets (alias_of) WHERE alias_of IS NOT NULL;`;

/**
 * Which target holds the identity of a cluster, and which one was refused it. The rows are read at each registration,
 * the targets themselves far more often: so they are not columns of those.
 */
const IDENTITIES = `
CREATE TABLE target_identities (
  target TEXT PRIMARY KEY,
  held KEYTEXT,
  refused KEYTEXT,
  issued TEXT
);
CREATE INDEX target_identities_by_held ON target_identities (held);`;

export const TARGET_MIGRATIONS: MigrationModule = {
  module: 'targets',
  migrations: [{ number: 1, name: 'targets', compatibleFrom: 0, up: TARGETS + IDENTITIES }],
};
