export const ENROLMENT_EVENTS = [
  'bootstrapToken.created',
  'bootstrapToken.used',
  'bootstrapToken.deleted',
  'fleetlet.created',
  'fleetlet.updated',
  'fleetlet.revoked',
  'fleetlet.deleted',
  'certificateAuthority.created',
] as const;
export type EnrolmentEventType = (typeof ENROLMENT_EVENTS)[number];
