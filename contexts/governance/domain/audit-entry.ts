/** `hidden`: what was asked for does not exist, at least not for the one who asked. */
export const OUTCOMES = ['done', 'denied', 'hidden', 'unauthenticated'] as const;

/**
 * One thing that somebody did or tried to do, or several of the same refusals within a minute. Hashes stand where
 * contents could be secret.
 *
 * It is read back as it is, and not checked: one that somebody changed is to be found by its hash, and one of a later
 * release, with an outcome that we do not know, is to be chained like any other.
 */
export interface AuditEntry {
  /** A UUID of version 7. */
  readonly id: string;
  /** Of the first, when it stands for several. */
  readonly time: number;
  readonly lastTime: number;
  readonly count: number;
  /** Of the first. */
  readonly requestId: string;
  readonly operation: string;
  readonly method: string;
  /** As the API writes it: `/v1/workspaces/web`. */
  readonly resource: string;
  /** Where in the tree it was at that time, as `/root/emea/web/`; `undefined` for what is nowhere in it. */
  readonly scope: string | undefined;
  readonly principal: AuditedPrincipal | undefined;
  /** Ids of the token or the session that was shown, where there was one that has an id. */
  readonly token: string | undefined;
  readonly session: string | undefined;
  readonly address: string;
  /** One of `OUTCOMES`, or of a later release. */
  readonly outcome: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface AuditedPrincipal {
  readonly kind: string;
  readonly id: string;
}

const MAX_TEXT = 512;

/** What a caller wrote, as it can be kept: whole characters, and not more of them than anybody reads. */
export function keepable(text: string): string {
  const whole = text.toWellFormed().replaceAll('\u0000', '\ufffd');
  return whole.length <= MAX_TEXT ? whole : `${whole.slice(0, MAX_TEXT - 1).toWellFormed()}…`;
}
