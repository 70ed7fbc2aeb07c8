/** The logger of the process. What is handed to it never holds what somebody could log in with. */
export interface IdentityLog {
  warn(fields: { readonly err?: unknown; readonly name?: string; readonly reason?: string }, message: string): void;
}
