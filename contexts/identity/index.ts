export { CREDENTIAL_KINDS, type CredentialKind } from './domain/credential-kind.ts';
export { IDENTITY_EVENTS } from './domain/identity-event.ts';
