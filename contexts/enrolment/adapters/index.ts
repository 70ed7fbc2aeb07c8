export { embeddedBindings } from './embedded-bindings.ts';
export { enrolmentInTree, fleetletPath, fleetletPaths } from './enrolment-in-tree.ts';
export type { FleetletEndpoints, ReplicaEndpoints } from './enrolment-parts.ts';
export { RENEW_AUDIENCE } from './fleetlet-gate.ts';
export { mergedBindings } from './merged-bindings.ts';
export { ENROLMENT_MIGRATIONS, ENROLMENT_SEALED_COLUMNS } from './migrations.ts';
export { type Enrolment, openEnrolment } from './open-enrolment.ts';
export { purgeTokens } from './purge-tokens.ts';
