export { LeaseError } from './lease-error.ts';
export { LEASE_MIGRATIONS } from './lease-migrations.ts';
export { type Candidacy, type LeaseFact, Leases, type LeasesOptions, type SeenInstance, type Term } from './leases.ts';
