import type { Uuid } from '#kit/std';

/**
 * The credential of a connection: the certificate of the TLS handshake, or a token that contains a certificate and is
 * signed by its key.
 */
export type ShownIdentity =
  | { readonly kind: 'certificate'; readonly der: Uint8Array }
  | { readonly kind: 'token'; readonly text: string };

/** Each refusal has its own message, for the operator of the fleetlet. */
export type Recognition =
  | {
      readonly kind: 'known';
      readonly fleetlet: Uuid;
      readonly name: string;
      readonly serial: string;
      /** Orders the certificates of a fleetlet: one with a later `notBefore` replaces it. */
      readonly notBefore: number;
      readonly notAfter: number;
      /** The authority of the certificate no longer issues: the fleetlet should renew soon. */
      readonly renewSoon: boolean;
    }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly message: string };

/** `superseded`: a newer certificate of the same fleetlet is in use. */
export type RefusalReason = 'unauthenticated' | 'revoked' | 'superseded';

export type BoundTarget =
  | { readonly kind: 'bound'; readonly uid: string; readonly name: string; readonly type: string }
  | { readonly kind: 'refused'; readonly reason: 'notBound' | 'wrongType'; readonly message: string };

/** Authenticates fleetlets, and tells which targets they may serve. Used at every connect and every registration. */
export interface FleetletAdmission {
  /**
   * Whether a certificate (DER) was issued by a trusted authority and has not expired. Synchronous, so that its holder
   * is not rate limited as a stranger. False for a certificate that was refused before. Grants no access.
   */
  vouches(der: Uint8Array): boolean;
  /** A recognised certificate is in use: earlier ones are refused from then on. */
  recognise(shown: ShownIdentity, signal: AbortSignal): Promise<Recognition>;
  boundTarget(
    fleetlet: string,
    target: { readonly name: string; readonly type: string },
    signal: AbortSignal,
  ): Promise<BoundTarget>;
  /** PEM of all authorities that are not retired: the issuing one, those still trusted, and the next. */
  authorities(signal: AbortSignal): Promise<string>;
}

/** The sessions of fleetlets with this process. */
export interface LiveSessions {
  list(): readonly LiveSession[];
  /**
   * `revoked`: permanently. `rebound`: it may reconnect at once, and register its remaining targets. `superseded`: it
   * may reconnect with the newest certificate.
   */
  end(fleetlet: string, why: { readonly reason: 'revoked' | 'rebound' | 'superseded'; readonly message: string }): void;
}

export interface LiveSession {
  readonly fleetlet: string;
  /** `notBefore` of the newest certificate that it presented. */
  readonly issuedAt: number;
  /** The uids of its registered targets. */
  readonly targets: readonly string[];
}
