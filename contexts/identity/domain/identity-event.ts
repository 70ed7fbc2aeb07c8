export const IDENTITY_EVENTS = [
  'issuer.created',
  'issuer.updated',
  'issuer.deleted',
  'serviceAccount.created',
  'serviceAccount.updated',
  'serviceAccount.deleted',
  'serviceAccountToken.created',
  'serviceAccountToken.updated',
  'serviceAccountToken.deleted',
] as const;
export type IdentityEventType = (typeof IDENTITY_EVENTS)[number];
