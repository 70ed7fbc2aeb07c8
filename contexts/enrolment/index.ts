export type {
  BoundTarget,
  FleetletAdmission,
  LiveSession,
  LiveSessions,
  Recognition,
  ShownIdentity,
} from './application/fleetlet-admission.ts';
export type { TargetRegistrar, WorkspaceDirectory } from './application/ports.ts';
export type { CertificateLimits } from './domain/authority.ts';
export { ENROLMENT_EVENTS, type EnrolmentEventType } from './domain/enrolment-event.ts';
export { fleetletDnsName } from './domain/fleetlet-names.ts';
