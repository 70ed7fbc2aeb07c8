/** The part of the process's logger that is used here. */
export interface EnrolmentLog {
  info(fields: { readonly name?: string }, message: string): void;
  warn(fields: { readonly err: unknown }, message: string): void;
}
