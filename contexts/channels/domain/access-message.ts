/** What is asked on `access`: who is the bearer, and where may he do that? */
export type AccessQuestion =
  | { readonly kind: 'identity'; readonly token: string }
  | { readonly kind: 'permissions'; readonly token: string; readonly permission: string };

export type AccessFacts =
  | { readonly kind: 'identity'; readonly subject: string; readonly groups: readonly string[]; readonly issuer: string }
  /** Paths of workspaces: all below them is allowed, too. */
  | { readonly kind: 'permissions'; readonly workspaces: readonly string[] }
  | { readonly kind: 'fault'; readonly code: string; readonly message: string };

export interface AccessReply {
  readonly facts: AccessFacts;
  /** How long it holds; 0 for just now. */
  readonly maxAgeMs: number;
  /** 0, or how old it is: the platform is away, and this is what it said. */
  readonly staleMs: number;
}

export interface AccessRequestMessage {
  readonly request: number;
  readonly question: AccessQuestion;
}

export interface AccessAnswerMessage extends AccessReply {
  readonly request: number;
}
