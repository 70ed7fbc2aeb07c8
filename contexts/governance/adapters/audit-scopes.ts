import type { Reader } from '#kit/storage';

/** What an entry is about, as the request named it. */
export interface AuditSubject {
  readonly params: Readonly<Record<string, string>>;
  /** `/v1/workspaces/web`, also of what was just made. */
  readonly resource: string;
}

/** Knows where in the tree something is. */
export interface AuditScopes {
  /**
   * `/root/emea/web/`, or `undefined` for what is nowhere in it. With the transaction that changed it, when something was
   * changed: what was created is found there, what was deleted no longer is, and is remembered elsewhere.
   */
  scopeOf(subject: AuditSubject, tx: Reader | undefined): Promise<string | undefined>;
}
