export type { FleetletAdmission, ShownIdentity } from './application/fleetlet-admission.ts';
export type { TargetRegistrar, WorkspaceDirectory } from './application/ports.ts';
export { ENROLMENT_EVENTS } from './domain/enrolment-event.ts';
export { fleetletDnsName } from './domain/fleetlet-names.ts';
