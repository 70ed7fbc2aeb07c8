import type { MigrationModule } from '#kit/storage';

/**
 * No table holds what could be shown to log in: of tokens, sessions and codes there are hashes, and the secret of a client
 * is sealed.
 *
 * DECISION: SHA-256, and not a slow hash as for passwords. A slow hash makes guessing dear where there are few guesses to
 * make; here each secret is 256 random bits (a code 125), which nobody guesses at any speed, while every request would pay.
 *
 * What an issuer consists of beside its keys is one document: it is read as a whole, all issuers at once, and never searched.
 */
const TABLES = `
CREATE TABLE identity_issuers (
  name KEYTEXT PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL UNIQUE,
  document TEXT NOT NULL,
  sealed_secret TEXT,
  generation BIGINT NOT NULL,
  version BIGINT NOT NULL,
  create_time BIGINT NOT NULL,
  update_time BIGINT NOT NULL
);
CREATE TABLE identity_accounts (
  workspace KEYTEXT NOT NULL,
  name KEYTEXT NOT NULL,
  uid TEXT NOT NULL UNIQUE,
  display_name TEXT,
  labels TEXT NOT NULL,
  disabled BIGINT NOT NULL,
  generation BIGINT NOT NULL,
  version BIGINT NOT NULL,
  create_time BIGINT NOT NULL,
  update_time BIGINT NOT NULL,
  PRIMARY KEY (workspace, name)
);
CREATE TABLE identity_tokens (
  id KEYTEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES identity_accounts (uid),
  hash TEXT NOT NULL,
  display_name TEXT,
  scope TEXT NOT NULL,
  create_time BIGINT NOT NULL,
  expire_time BIGINT NOT NULL,
  last_used_time BIGINT,
  rotated_to TEXT
);
CREATE INDEX identity_tokens_by_account ON identity_tokens (account, id);
CREATE INDEX identity_tokens_by_end ON identity_tokens (expire_time);
CREATE TABLE identity_sessions (
  uid KEYTEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  principal_kind TEXT NOT NULL,
  principal_id TEXT NOT NULL,
  member_of TEXT NOT NULL,
  issuer TEXT,
  create_time BIGINT NOT NULL,
  last_used_time BIGINT NOT NULL,
  expire_time BIGINT NOT NULL,
  address TEXT NOT NULL,
  user_agent TEXT
);
CREATE INDEX identity_sessions_by_principal ON identity_sessions (principal_kind, principal_id, uid);
CREATE INDEX identity_sessions_by_end ON identity_sessions (expire_time);
CREATE TABLE identity_login_codes (
  hash TEXT PRIMARY KEY,
  create_time BIGINT NOT NULL,
  expire_time BIGINT NOT NULL,
  used_time BIGINT
);
CREATE TABLE identity_revocations (
  key TEXT PRIMARY KEY,
  not_after BIGINT NOT NULL,
  expire_time BIGINT NOT NULL
);
CREATE TABLE identity_passthroughs (
  target KEYTEXT PRIMARY KEY,
  name TEXT NOT NULL,
  workspace TEXT NOT NULL,
  issuer TEXT NOT NULL,
  audience TEXT NOT NULL,
  create_time BIGINT NOT NULL
);
CREATE INDEX identity_passthroughs_by_audience ON identity_passthroughs (audience);`;

export const IDENTITY_MIGRATIONS: MigrationModule = {
  module: 'identity',
  migrations: [{ number: 1, name: 'issuers, accounts, tokens and sessions', compatibleFrom: 0, up: TABLES }],
};
