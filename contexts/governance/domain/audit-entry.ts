/** `hidden`: the resource does not exist, at least not for the caller. */
export const OUTCOMES = ['done', 'denied', 'hidden', 'unauthenticated'] as const;

/**
 * An action or an attempted action, or several identical refusals within a minute. Hashes replace contents that could be
 * secret.
 *
 * Entries are read back without checks: a tampered one has to be found by its hash, and one of a later release, with an unknown
 * outcome, has to be chained like any other.
 */
export interface AuditEntry {
  /** A UUID of version 7. */
  readonly id: string;
  /** Time of the first, if it covers several. */
  readonly time: number;
  readonly lastTime: number;
  readonly count: number;
  /** Of the first. */
  readonly requestId: string;
  /** The caller's own id of the request. */
  readonly clientRequestId?: string | undefined;
  readonly operation: string;
  readonly method: string;
  /** As in the API: `/v1/workspaces/web`. */
  readonly resource: string;
  /** Its place in the tree at that time, as `/root/emea/web/`; `undefined` for a resource outside the tree. */
  readonly scope: string | undefined;
  readonly principal: AuditedPrincipal | undefined;
  /** The id of the token or session that was presented, if it has one. */
  readonly token: string | undefined;
  readonly session: string | undefined;
  readonly address: string;
  /** One of `OUTCOMES`, or one of a later release. */
  readonly outcome: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface AuditedPrincipal {
  readonly kind: string;
  readonly id: string;
}

const MAX_TEXT = 512;

/** Makes a caller's text storable: well-formed characters, up to a readable length. */
export function keepable(text: string): string {
  const whole = text.toWellFormed().replaceAll('\u0000', '\ufffd');
  return whole.length <= MAX_TEXT ? whole : `${whole.slice(0, MAX_TEXT - 1).toWellFormed()}…`;
}
