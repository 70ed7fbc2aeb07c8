import type { Reader } from '#kit/storage';

/** The subject of an entry, as the request named it. */
export interface AuditSubject {
  readonly params: Readonly<Record<string, string>>;
  /** `/v1/workspaces/web`, also for a resource that was just created. */
  readonly resource: string;
}

/** Locates subjects in the tree. */
export interface AuditScopes {
  /**
   * `/root/emea/web/`, or `undefined` for a subject outside the tree. `tx` is the transaction of the change, if there was one:
   * it contains a resource that was just created. A deleted one is no longer in it and is looked up elsewhere.
   */
  scopeOf(subject: AuditSubject, tx: Reader | undefined): Promise<string | undefined>;
}
