import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  clockTolerance,
  customFetch,
  discoveryRequest,
  getValidatedIdTokenClaims,
  None,
  processDiscoveryResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { ClientError } from '../client/client-error.ts';
import { type Peer, sendRequest } from '../client/send-request.ts';
import type { IssuerCredentials } from '../config-file/cli-config.ts';

/** The issuer as the platform describes it. */
export interface IssuerPlace {
  readonly issuer: string;
  readonly url: string;
  readonly clientId: string;
  readonly ca: string | undefined;
}

export interface IssuerConnection {
  readonly place: IssuerPlace;
  readonly server: AuthorizationServer;
  readonly client: Client;
  readonly options: ReturnType<typeof optionsFor>;
}

const SKEW_SECONDS = 60;
export const PUBLIC_CLIENT = None();

export async function connectIssuer(place: IssuerPlace, signal: AbortSignal): Promise<IssuerConnection> {
  const options = optionsFor(place);
  return await explained(place, async () => {
    const url = new URL(place.url);
    const response = await discoveryRequest(url, { algorithm: 'oidc', signal, ...options });
    const server = await processDiscoveryResponse(url, response);
    return { place, server, client: { client_id: place.clientId, [clockTolerance]: SKEW_SECONDS }, options };
  });
}

/**
 * Converts the response of the token endpoint. It must be the same object that the library returned, because the
 * library tracks by identity whose claims it has checked. `previous` is the refresh token to keep when the response has
 * none.
 */
export function credentialsFrom(
  place: IssuerPlace,
  tokens: TokenEndpointResponse,
  previous?: string,
): IssuerCredentials {
  const { issuer, url, clientId, ca } = place;
  const claims = getValidatedIdTokenClaims(tokens);
  if (tokens.id_token === undefined || claims === undefined) {
    throw new ClientError('NOT_AUTHENTICATED', `the issuer ${issuer} returned no identity token; log in again`);
  }
  const refreshToken = tokens.refresh_token ?? previous;
  return {
    kind: 'issuer',
    issuer,
    url,
    clientId,
    ...(ca === undefined ? {} : { ca }),
    idToken: tokens.id_token,
    expireTime: new Date(claims.exp * 1000).toISOString(),
    ...(refreshToken === undefined ? {} : { refreshToken }),
  };
}

/** Exchanges the refresh token. It may be valid for a single use, so the old tokens must not be used again. */
export async function refreshed(credentials: IssuerCredentials, signal: AbortSignal): Promise<IssuerCredentials> {
  const { refreshToken, issuer } = credentials;
  if (refreshToken === undefined) throw loginAgain(issuer);
  const place = placeOf(credentials);
  const { server, client, options } = await connectIssuer(place, signal);
  return await explained(place, async () => {
    const response = await refreshTokenGrantRequest(server, client, PUBLIC_CLIENT, refreshToken, {
      ...options,
      signal,
    });
    const tokens = await processRefreshTokenResponse(server, client, response);
    return credentialsFrom(place, tokens, refreshToken);
  });
}

/** Revokes the refresh token at the issuer. */
export async function revokeRefreshToken(credentials: IssuerCredentials, signal: AbortSignal): Promise<void> {
  const { refreshToken } = credentials;
  if (refreshToken === undefined) return;
  const place = placeOf(credentials);
  const { server, client, options } = await connectIssuer(place, signal);
  if (server.revocation_endpoint === undefined) return;
  await explained(place, async () => {
    const response = await revocationRequest(server, client, PUBLIC_CLIENT, refreshToken, { ...options, signal });
    await processRevocationResponse(response);
  });
}

/** Turns an error of the library into a message with advice. The message never contains request data. */
export async function explained<T>({ issuer }: IssuerPlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ClientError || !(cause instanceof Error) || cause.name === 'AbortError') throw cause;
    const { error } = cause as { error?: unknown };
    if (error === 'invalid_grant') throw loginAgain(issuer, cause);
    const why = typeof error === 'string' ? error : cause.message;
    throw new ClientError(
      'NOT_AUTHENTICATED',
      `login at the issuer ${issuer} failed: ${why}; try again, or ask its administrators`,
      {
        cause,
      },
    );
  }
}

function loginAgain(issuer: string, cause?: unknown): ClientError {
  return new ClientError('NOT_AUTHENTICATED', `the login at ${issuer} has expired; run: fleetshift login`, { cause });
}

function placeOf({ issuer, url, clientId, ca }: IssuerCredentials): IssuerPlace {
  return { issuer, url, clientId, ca };
}

/** The address and the trusted authorities of an issuer are set on the platform, so no flag of the CLI helps. */
function issuerPeer(issuer: string): Peer {
  const other = 'or log in with a token: fleetshift login --token-file FILE';
  return {
    title: `the issuer ${issuer}`,
    refused: `ask its operators, ${other}`,
    unknownHost: `ask the administrators of the platform for the correct address, ${other}`,
    untrusted: `ask the administrators of the platform to add that authority as the ca of the issuer, ${other}`,
  };
}

/** Sends requests to the issuer like those to a platform, with the given authorities. */
function optionsFor({ issuer, url, ca }: IssuerPlace) {
  const peer = issuerPeer(issuer);
  const send = async (
    address: string,
    {
      method,
      headers,
      body,
      signal,
    }: { method: string; headers: Record<string, string>; body?: unknown; signal?: AbortSignal },
  ): Promise<Response> => {
    const text = body instanceof URLSearchParams ? body.toString() : undefined;
    const received = await sendRequest(
      {
        url: new URL(address),
        method: method === 'POST' ? 'POST' : 'GET',
        headers: { ...headers, ...(text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }) },
        body: text,
        authority: ca,
        peer,
      },
      signal ?? AbortSignal.timeout(30_000),
    );
    const { status, contentType } = received;
    const isBodiless = status === 204 || status === 304;
    return new Response(isBodiless ? null : received.text, { status, headers: { 'content-type': contentType } });
  };
  // oxlint-disable-next-line typescript/no-deprecated -- Marked so to stand out; an issuer is plain HTTP on loopback only.
  return { [customFetch]: send, [allowInsecureRequests]: url.startsWith('http:') };
}
