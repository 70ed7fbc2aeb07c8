export type { Sealer } from './application/ports.ts';
export { IDENTITY_EVENTS, type IdentityEventType } from './domain/identity-event.ts';
