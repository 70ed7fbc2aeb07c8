import {
  AuthorizationResponseError,
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  clockTolerance,
  None,
  OperationProcessingError,
  processAuthorizationCodeResponse,
  ResponseBodyError,
  validateAuthResponse,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { FleetError } from '#kit/std';
import type { Sealer } from '../../application/ports.ts';
import { IdentityError } from '../../domain/identity-error.ts';
import type { Issuer } from '../../domain/issuer.ts';
import { openClientSecret } from '../client-secret.ts';
import type { IdentityLog } from '../identity-log.ts';
import type { IssuerDirectory } from './issuer-directory.ts';
import type { JwtVerifier, VerifiedUser } from './jwt-verifier.ts';
import { type LoginAttempt, secretsOf } from './login-attempt.ts';

export interface CodeFlowDeps {
  readonly issuers: IssuerDirectory;
  readonly verifier: JwtVerifier;
  readonly sealer: Sealer;
  readonly log: IdentityLog;
}

export interface Leg {
  readonly issuer: Issuer;
  readonly attempt: LoginAttempt;
  readonly redirectUri: string;
}

/** The authorization code flow with PKCE; the platform is the client. */
export class CodeFlow {
  readonly #deps: CodeFlowDeps;

  constructor(deps: CodeFlowDeps) {
    this.#deps = deps;
  }

  /** The URL to redirect the browser to. */
  async begin({ issuer, attempt, redirectUri }: Leg, signal: AbortSignal): Promise<URL> {
    const { metadata } = await this.#deps.issuers.client(issuer).facts(signal);
    const { state, nonce, verifier } = secretsOf(attempt);
    const url = new URL(metadata.authorization_endpoint ?? '');
    const parameters = {
      client_id: issuer.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: issuer.scopes.join(' '),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url;
  }

  /** The verified user; `undefined` when the issuer refused, or when the response does not belong to the attempt. */
  async complete(
    { issuer, attempt, redirectUri }: Leg,
    answer: URLSearchParams,
    signal: AbortSignal,
  ): Promise<VerifiedUser | undefined> {
    const connection = this.#deps.issuers.client(issuer);
    const { metadata } = await connection.facts(signal);
    const client: Client = { client_id: issuer.clientId, [clockTolerance]: issuer.clockSkewMs / 1000 };
    const { state, nonce, verifier } = secretsOf(attempt);
    try {
      const parameters = validateAuthResponse(metadata, client, answer, state);
      const response = await authorizationCodeGrantRequest(
        metadata,
        client,
        await this.#authentication(issuer, metadata, signal),
        parameters,
        redirectUri,
        verifier,
        { ...connection.requestOptions, signal },
      );
      const options = { expectedNonce: nonce, requireIdToken: true };
      const { id_token: token } = await processAuthorizationCodeResponse(metadata, client, response, options);
      if (token === undefined) return undefined;
      // TLS alone is not trusted: the token is verified like any bearer token.
      return await this.#deps.verifier.verifyOf(issuer, { token, audiences: [issuer.clientId] }, signal);
    } catch (error) {
      if (error instanceof FleetError || signal.aborted) throw error;
      // Logs the code only: other parts of the error may contain data from outside.
      this.#deps.log.warn(
        { name: issuer.name, reason: codeOf(error) },
        'login not completed; the browser was told to begin again',
      );
      if (isRefusal(error)) return undefined;
      throw unavailable(issuer, error);
    }
  }

  async #authentication(issuer: Issuer, metadata: AuthorizationServer, signal: AbortSignal): Promise<ClientAuth> {
    const secret = await openClientSecret(this.#deps.sealer, issuer, signal);
    if (secret === undefined) return None();
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_basic') ? ClientSecretBasic : ClientSecretPost;
    return authenticate(secret.reveal());
  }
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof AuthorizationResponseError ||
    error instanceof ResponseBodyError ||
    error instanceof WWWAuthenticateChallengeError ||
    error instanceof OperationProcessingError
  );
}

/** `invalid_grant`, `ECONNREFUSED`, or the name of the error's class. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { error: refusal, code } = error as { error?: unknown; code?: unknown };
  return [refusal, code].find((text) => typeof text === 'string') ?? error.name;
}

function unavailable({ name }: Issuer, cause: unknown): IdentityError {
  return new IdentityError('ISSUER_UNAVAILABLE', `The issuer ${name} cannot be reached. Try again in a moment.`, {
    cause,
  });
}
