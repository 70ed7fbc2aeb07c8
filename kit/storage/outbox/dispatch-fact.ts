/** What a dispatcher tells of its work, for logs and metrics. */
export type DispatchFact =
  | { readonly kind: 'claimed'; readonly consumer: string; readonly cursor: number }
  | { readonly kind: 'standing-by'; readonly consumer: string; readonly until: number }
  | { readonly kind: 'recorded'; readonly consumer: string; readonly cursor: number }
  | ({ readonly kind: 'will-retry'; readonly retryAt: number } & FailedEvent)
  | ({ readonly kind: 'dead-letter' } & FailedEvent)
  /** The claim or the database was lost; what was not recorded is handled again. */
  | { readonly kind: 'interrupted'; readonly consumer: string; readonly error: unknown; readonly retryInMs: number };

interface FailedEvent {
  readonly consumer: string;
  readonly position: number;
  readonly key: string;
  readonly attempts: number;
  readonly error: unknown;
}
