/** The logger of the process, as far as it is used here. */
export interface EnrolmentLog {
  info(fields: { readonly name?: string }, message: string): void;
  warn(fields: { readonly err: unknown }, message: string): void;
}
