/** By what a caller can be known. Each is looked up, and can end, in a way of its own. */
export const CREDENTIAL_KINDS = ['adminToken', 'accountToken', 'cliSession', 'issuerToken', 'browserSession'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];
