import type { Secret } from '#kit/std';

/** As PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: Secret;
}

/** What a client presents. Two that are the same object are the same credentials. */
export interface Identity {
  readonly token?: Secret;
  readonly certificate?: Certificate;
}

export interface Credentials {
  /** What to present now: the same object until something changed. */
  current(signal: AbortSignal): Promise<Identity>;
  /** The server did not accept these. The next `current` looks again; what it gives may be the same. */
  refused(identity: Identity): void;
}
