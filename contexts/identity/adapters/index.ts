export { type LeftCode, leaveAdminCode } from './admin-code-file.ts';
export { adminTokenId } from './authenticator.ts';
export { IDENTITY_SEALED_COLUMNS } from './client-secret.ts';
export { DEV_AUTH_WARNING, devAuthenticator } from './dev-authenticator.ts';
export { adminLoginText, offerFirstAdminLogin } from './first-admin-login.ts';
export { IDENTITY_MIGRATIONS } from './migrations.ts';
export type { IssuerDial } from './oidc/issuer-fetch.ts';
export { VERIFIED_AT_ONCE } from './oidc/verify-in-turn.ts';
export {
  type Identity,
  type IdentityDeps,
  identityInTree,
  openIdentity,
  type TargetPlace,
} from './open-identity.ts';
export { serviceAccountsIn } from './service-accounts-in.ts';
