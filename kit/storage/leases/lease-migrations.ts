import type { MigrationModule } from '../migrations.ts';

/**
 * `leases` says which process leads for a role. Its rows change only when a role changes hands, so that checking an epoch
 * never collides with a heartbeat: those are in `lease_holders`, one row for each process.
 */
export const LEASE_MIGRATIONS: MigrationModule = {
  module: 'leases',
  migrations: [
    {
      number: 1,
      name: 'leases',
      compatibleFrom: 0,
      up: `
CREATE TABLE leases (
  role KEYTEXT PRIMARY KEY,
  holder KEYTEXT,
  epoch BIGINT NOT NULL,
  since BIGINT NOT NULL
);
CREATE TABLE lease_holders (
  id KEYTEXT PRIMARY KEY,
  seat TEXT NOT NULL,
  beat BIGINT NOT NULL,
  since BIGINT NOT NULL,
  beat_at BIGINT NOT NULL,
  stands_for TEXT NOT NULL,
  about TEXT NOT NULL
);`,
    },
  ],
};
