import type { MigrationModule } from '../migrations.ts';

/**
 * One row for each sender and kind of error, with how many there were and the last of them: a sender that floods the
 * platform with what cannot be taken fills no disk.
 */
export const DEAD_LETTER_MIGRATIONS: MigrationModule = {
  module: 'dead-letters',
  migrations: [
    {
      number: 1,
      name: 'dead letters',
      compatibleFrom: 0,
      up: `
CREATE TABLE dead_letters (
  source KEYTEXT NOT NULL,
  subject KEYTEXT NOT NULL,
  code KEYTEXT NOT NULL,
  messages BIGINT NOT NULL,
  last_error TEXT NOT NULL,
  last_payload TEXT NOT NULL,
  first_time BIGINT NOT NULL,
  last_time BIGINT NOT NULL,
  PRIMARY KEY (source, subject, code)
);
CREATE INDEX dead_letters_by_time ON dead_letters (last_time);`,
    },
    {
      number: 2,
      name: 'no messages',
      compatibleFrom: 1,
      // A message may quote secrets in the clear. The column stays for the release that fills it.
      up: `UPDATE dead_letters SET last_payload = ''`,
    },
  ],
};
