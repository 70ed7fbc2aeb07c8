import type { Uuid } from '#kit/std';

/** What a connection brings: the certificate that its handshake proved, or a token that holds one and is signed by its key. */
export type ShownIdentity =
  | { readonly kind: 'certificate'; readonly der: Uint8Array }
  | { readonly kind: 'token'; readonly text: string };

/** Each refusal has a sentence of its own, for whoever looks after the fleetlet. */
export type Recognition =
  | {
      readonly kind: 'known';
      readonly fleetlet: Uuid;
      readonly name: string;
      readonly serial: string;
      /** Its place among the certificates of the fleetlet: one that begins later replaces it. */
      readonly notBefore: number;
      readonly notAfter: number;
      /** The certificate is of an authority that issues no longer: ask for a new one soon. */
      readonly renewSoon: boolean;
    }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly message: string };

/** `superseded`: a newer certificate of the same fleetlet is in use. */
export type RefusalReason = 'unauthenticated' | 'revoked' | 'superseded';

export type BoundTarget =
  | { readonly kind: 'bound'; readonly uid: string; readonly name: string; readonly type: string }
  | { readonly kind: 'refused'; readonly reason: 'notBound' | 'wrongType'; readonly message: string };

/** Who a fleetlet is, and what it may speak for. Asked at every connect and every registration. */
export interface FleetletAdmission {
  /**
   * Whether a certificate (DER) is of an authority of ours and has not expired: answered at once, so that its holder is not counted
   * among strangers. A certificate that was refused before is not. It admits to nothing.
   */
  vouches(der: Uint8Array): boolean;
  /** A certificate that is recognised is in use: those before it are refused from then on. */
  recognise(shown: ShownIdentity, signal: AbortSignal): Promise<Recognition>;
  boundTarget(
    fleetlet: string,
    target: { readonly name: string; readonly type: string },
    signal: AbortSignal,
  ): Promise<BoundTarget>;
  /** PEM of all authorities that count now: the one that issues, those that are still trusted, and the next. */
  authorities(signal: AbortSignal): Promise<string>;
}

/** The sessions that fleetlets have with this process. */
export interface LiveSessions {
  list(): readonly LiveSession[];
  /**
   * `revoked`: never again. `rebound`: it may come back at once, and register what is its own now. `superseded`: it may come back
   * with the newest certificate.
   */
  end(fleetlet: string, why: { readonly reason: 'revoked' | 'rebound' | 'superseded'; readonly message: string }): void;
}

export interface LiveSession {
  readonly fleetlet: string;
  /** When the newest certificate that it showed begins. */
  readonly issuedAt: number;
  /** The uids of the targets that it has registered. */
  readonly targets: readonly string[];
}
