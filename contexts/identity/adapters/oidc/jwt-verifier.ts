import { decodeJwt, decodeProtectedHeader, errors } from 'jose';
import { MAX_TOKEN_AGE_MS } from '../../application/login-service.ts';
import { audiencesOf, type Issuer } from '../../domain/issuer.ts';
import { isOwnAudience, type TokenAudience } from '../../domain/passthrough.ts';
import { type User, userOf } from '../../domain/subject.ts';
import { signedPartOf } from '../../domain/token-text.ts';
import type { ClaimExpressions } from './claim-expressions.ts';
import type { IssuerDirectory } from './issuer-directory.ts';

export interface JwtVerifierDeps {
  readonly issuers: IssuerDirectory;
  readonly expressions: ClaimExpressions;
}

/** A user vouched for by an issuer. */
export interface VerifiedUser extends User {
  readonly issuer: Issuer;
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  /** Milliseconds since the epoch: rejected from then on. Includes the allowed clock skew. */
  readonly expiresAt: number;
  /** The issuer's own id of the token, if it has one. */
  readonly tokenId: string | undefined;
}

/** Asymmetric signatures only: neither `none` nor a shared secret. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Access and ID tokens. Others, such as logout tokens, are signed by the same key and mean something else. */
const TYPES: ReadonlySet<string> = new Set(['jwt', 'application/jwt', 'at+jwt', 'application/at+jwt']);
/** All headers together are limited to 16 KiB. */
const MAX_LENGTH = 12 * 1024;

/** Verifies tokens of issuers. `undefined` when a token is not valid. */
export class JwtVerifier {
  readonly #deps: JwtVerifierDeps;

  constructor(deps: JwtVerifierDeps) {
    this.#deps = deps;
  }

  /** Verifies a bearer token of any trusted issuer. */
  async verify(token: string, signal: AbortSignal): Promise<VerifiedUser | undefined> {
    if (token.length > MAX_LENGTH || signedPartOf(token) === undefined) return undefined;
    const iss = issuerIn(token);
    const issuer = iss === undefined ? undefined : await this.#deps.issuers.byUrl(iss, signal);
    if (issuer === undefined) return undefined;
    return await this.verifyOf(issuer, { token, audiences: audiencesOf(issuer) }, signal);
  }

  /**
   * Verifies a token for one cluster. A token that is also valid for the platform is refused: the cluster could replay
   * it here.
   */
  async verifyFor(meant: TokenAudience, token: string, signal: AbortSignal): Promise<VerifiedUser | undefined> {
    if (token.length > MAX_LENGTH || signedPartOf(token) === undefined) return undefined;
    if (issuerIn(token) === undefined) return undefined;
    const issuers = await this.#deps.issuers.all(signal);
    const issuer = issuers.find(({ name }) => name === meant.issuer);
    const audiences = [decodeJwt(token).aud ?? []].flat();
    if (issuer === undefined || audiences.some((audience) => isOwnAudience(issuers, audience))) return undefined;
    return await this.verifyOf(issuer, { token, audiences: [meant.audience] }, signal);
  }

  /** Verifies a token that must come from this issuer. */
  async verifyOf(
    issuer: Issuer,
    { token, audiences }: { readonly token: string; readonly audiences: readonly string[] },
    signal: AbortSignal,
  ): Promise<VerifiedUser | undefined> {
    const options = {
      audience: [...audiences],
      algorithms: ALGORITHMS,
      clockTolerance: issuer.clockSkewMs / 1000,
      maxTokenAge: MAX_TOKEN_AGE_MS / 1000,
      requiredClaims: ['exp', 'iat'],
    };
    try {
      const claims = await this.#deps.issuers.client(issuer).verify(token, options, signal);
      const user = userOf(issuer, this.#deps.expressions.map(issuer, claims));
      const { iat: issuedAt = 0, exp = 0, jti: tokenId } = claims;
      const expiresAt = exp * 1000 + issuer.clockSkewMs;
      return { ...user, issuer, issuedAt, expiresAt, tokenId };
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}

function issuerIn(token: string): string | undefined {
  try {
    const { typ } = decodeProtectedHeader(token);
    if (typ !== undefined && !TYPES.has(typ.toLowerCase())) return undefined;
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}
