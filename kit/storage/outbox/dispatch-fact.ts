/** A report of a dispatcher about its work, for logs and metrics. */
export type DispatchFact =
  | { readonly kind: 'claimed'; readonly consumer: string; readonly cursor: number }
  | { readonly kind: 'standing-by'; readonly consumer: string; readonly until: number }
  | { readonly kind: 'recorded'; readonly consumer: string; readonly cursor: number }
  | ({ readonly kind: 'will-retry'; readonly retryAt: number } & FailedEvent)
  | ({ readonly kind: 'dead-letter' } & FailedEvent)
  /** The claim or the database was lost; events that were not recorded are handled again. */
  | { readonly kind: 'interrupted'; readonly consumer: string; readonly error: unknown; readonly retryInMs: number };

interface FailedEvent {
  readonly consumer: string;
  readonly position: number;
  readonly key: string;
  readonly attempts: number;
  readonly error: unknown;
}
