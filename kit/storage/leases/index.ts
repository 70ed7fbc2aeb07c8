export { LeaseError } from './lease-error.ts';
export { LEASE_MIGRATIONS } from './lease-migrations.ts';
export { type LeaseFact, Leases, type LeasesOptions, type SeenInstance } from './leases.ts';
export { type Candidacy, type Term, Terms } from './term.ts';
