import type { Secret } from '#kit/std';

/** The certificate and key of a TLS server, in PEM. */
export interface ServerCertificate {
  /** The server's certificate first, then its issuers. */
  readonly chain: string;
  readonly key: Secret<string>;
  readonly notAfter: Date;
}

/** Provides certificates. `current` is called at the start and repeatedly, so that a renewed one is found. */
export interface CertificateSource {
  /** The CA that clients have to trust, if the platform made it itself. */
  readonly authorityFile: string | undefined;
  /** Throws `PlatformError` when there is none that is valid at this time. */
  current(now: number): ServerCertificate;
}
