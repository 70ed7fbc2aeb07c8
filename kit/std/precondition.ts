/** The state that a caller expects before a change; `check` throws when the current state does not match. */
export interface Precondition<T> {
  check(current: T): void;
}

/** Two states of a resource never share both: a resource that was deleted and created again has another uid. */
export interface Versioned {
  readonly uid: string;
  readonly version: number;
}
