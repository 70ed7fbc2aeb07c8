import { ACCESS_MIGRATIONS } from '#contexts/access/adapters';
import { ENROLMENT_MIGRATIONS, ENROLMENT_SEALED_COLUMNS } from '#contexts/enrolment/adapters';
import { GOVERNANCE_MIGRATIONS } from '#contexts/governance/adapters';
import { IDENTITY_MIGRATIONS, IDENTITY_SEALED_COLUMNS } from '#contexts/identity/adapters';
import { ORCHESTRATION_MIGRATIONS, ORCHESTRATION_SEALED_COLUMNS } from '#contexts/orchestration/adapters';
import { PROXIED_CLUSTER_MIGRATIONS, PROXIED_CLUSTER_SEALED_COLUMNS } from '#contexts/proxied-clusters/adapters';
import { RESOURCE_INDEX_MIGRATIONS } from '#contexts/resource-index/adapters';
import { TARGET_MIGRATIONS } from '#contexts/targets/adapters';
import { WORKSPACE_MIGRATIONS } from '#contexts/workspaces/adapters';
import { DURABLE_MIGRATIONS } from '#kit/durable/embedded';
import { httpMigrations } from '#kit/http';
import { SEALING_MIGRATIONS, type SealedColumn } from '#kit/sealing';
import type { MigrationModule } from '#kit/storage';
import { DEAD_LETTER_MIGRATIONS } from '#kit/storage/dead-letters';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import { INSTANCE_SECRET_COLUMNS, INSTANCE_SECRET_MIGRATIONS } from './instance-secret.ts';

/** All tables of a platform, in the order of creation. */
export const SCHEMA_MODULES: readonly MigrationModule[] = [
  OUTBOX_MIGRATIONS,
  DEAD_LETTER_MIGRATIONS,
  httpMigrations,
  LEASE_MIGRATIONS,
  DURABLE_MIGRATIONS,
  SEALING_MIGRATIONS,
  INSTANCE_SECRET_MIGRATIONS,
  WORKSPACE_MIGRATIONS,
  TARGET_MIGRATIONS,
  ACCESS_MIGRATIONS,
  IDENTITY_MIGRATIONS,
  GOVERNANCE_MIGRATIONS,
  ORCHESTRATION_MIGRATIONS,
  ENROLMENT_MIGRATIONS,
  PROXIED_CLUSTER_MIGRATIONS,
  RESOURCE_INDEX_MIGRATIONS,
];

/** All columns that hold sealed texts. A missing one would keep its old key from being dropped, and is reported. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...INSTANCE_SECRET_COLUMNS,
  ...IDENTITY_SEALED_COLUMNS,
  ...ORCHESTRATION_SEALED_COLUMNS,
  ...ENROLMENT_SEALED_COLUMNS,
  ...PROXIED_CLUSTER_SEALED_COLUMNS,
];
