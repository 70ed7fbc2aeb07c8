import type { MigrationModule } from '#kit/storage';

/**
 * The keys that values of this database may be under, each with a value that only it opens. So a start knows whether it
 * has the right keys without a look at every sealed value, and a lost or foreign key file is told at once.
 */
export const SEALING_MIGRATIONS: MigrationModule = {
  module: 'sealing',
  migrations: [
    {
      number: 1,
      name: 'keys',
      compatibleFrom: 0,
      up: `
CREATE TABLE sealing_keys (
  id KEYTEXT PRIMARY KEY,
  witness TEXT NOT NULL,
  create_time BIGINT NOT NULL
);`,
    },
  ],
};
