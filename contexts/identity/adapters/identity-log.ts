/** The logger of the process. The fields never contain credentials. */
export interface IdentityLog {
  warn(fields: { readonly err?: unknown; readonly name?: string; readonly reason?: string }, message: string): void;
}
