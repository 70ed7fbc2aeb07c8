export type { Sealer } from './application/ports.ts';
export { CREDENTIAL_KINDS, type CredentialKind } from './domain/credential-kind.ts';
export { IDENTITY_EVENTS, type IdentityEventType } from './domain/identity-event.ts';
