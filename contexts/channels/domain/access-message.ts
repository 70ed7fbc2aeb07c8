/** A question on the `access` channel: who is the bearer of this token, and where may they use this permission? */
export type AccessQuestion =
  | { readonly kind: 'identity'; readonly token: string }
  | { readonly kind: 'permissions'; readonly token: string; readonly permission: string };

export type AccessFacts =
  | { readonly kind: 'identity'; readonly subject: string; readonly groups: readonly string[]; readonly issuer: string }
  /** Paths of workspaces. The permission also holds for every workspace below them. */
  | { readonly kind: 'permissions'; readonly workspaces: readonly string[] }
  | { readonly kind: 'fault'; readonly code: string; readonly message: string };

export interface AccessReply {
  readonly facts: AccessFacts;
  /** How long the answer may be cached; 0 means do not cache. */
  readonly maxAgeMs: number;
  /** 0 for a fresh answer. Otherwise the platform is unreachable and this is the age of the cached answer. */
  readonly staleMs: number;
}

export interface AccessRequestMessage {
  readonly request: number;
  readonly question: AccessQuestion;
}

export interface AccessAnswerMessage extends AccessReply {
  readonly request: number;
}
