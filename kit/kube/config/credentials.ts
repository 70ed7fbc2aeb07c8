import type { Secret } from '#kit/std';

/** As PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: Secret;
}

/** The credentials that a client presents. The same object means the same credentials. */
export interface Identity {
  readonly token?: Secret;
  readonly certificate?: Certificate;
}

export interface Credentials {
  /** The current credentials: the same object until something changes. */
  current(signal: AbortSignal): Promise<Identity>;
  /** Reports that the server refused these. The next `current` reads them again; they may be unchanged. */
  refused(identity: Identity): void;
}
