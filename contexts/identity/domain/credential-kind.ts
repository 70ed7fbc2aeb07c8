/** The kinds of credentials. Each has its own lookup and its own ways to end. */
export const CREDENTIAL_KINDS = ['adminToken', 'accountToken', 'cliSession', 'issuerToken', 'browserSession'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];
