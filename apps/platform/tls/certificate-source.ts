import type { Secret } from '#kit/std';

/** What a TLS server needs, in PEM. */
export interface ServerCertificate {
  /** The server's own first, then those that vouch for it. */
  readonly chain: string;
  readonly key: Secret<string>;
  readonly notAfter: Date;
}

/** Where certificates come from. `current` is asked at the start and again and again, so that a renewed one is found. */
export interface CertificateSource {
  /** What a client has to trust, when it is of our own making. */
  readonly authorityFile: string | undefined;
  /** Throws `PlatformError` when there is none that could be served at this time. */
  current(now: number): ServerCertificate;
}
