import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { ClientError } from '../client/client-error.ts';
import type { IssuerCredentials } from '../config-file/cli-config.ts';
import { credentialsFrom, explained, type IssuerConnection, PUBLIC_CLIENT } from './issuer-connection.ts';

export interface LoginWith {
  readonly scopes: readonly string[];
  /** Shows a message to the user. */
  readonly tell: (text: string) => void;
}

/** Long enough to find a second factor. */
const WAIT_MS = 10 * 60_000;
const PATH = '/callback';

/** The authorisation code flow with PKCE (RFC 8252): a browser on this machine is redirected to a port that we listen on. */
export async function loopbackLogin(
  connection: IssuerConnection,
  { scopes, tell }: LoginWith,
  signal: AbortSignal,
): Promise<IssuerCredentials> {
  const late = AbortSignal.timeout(WAIT_MS);
  const answers = await listenForAnswer(AbortSignal.any([signal, late]));
  try {
    const [state, nonce, verifier] = [generateRandomState(), generateRandomNonce(), generateRandomCodeVerifier()];
    const parameters = {
      client_id: connection.client.client_id,
      redirect_uri: answers.redirectUri,
      response_type: 'code',
      scope: scopes.join(' '),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    tell(`Open this address in a browser on this machine:\n\n  ${authorizationUrl(connection, parameters)}\n\n`);
    const answer = await answers.next(state);
    return await redeem(connection, { answer, state, nonce, verifier, redirectUri: answers.redirectUri }, signal);
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error;
    throw new ClientError('NOT_AUTHENTICATED', 'no login within ten minutes; try again', { cause: error });
  } finally {
    answers.close();
  }
}

interface Answered {
  readonly answer: URLSearchParams;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

async function redeem(
  { place, server, client, options }: IssuerConnection,
  { answer, state, nonce, verifier, redirectUri }: Answered,
  signal: AbortSignal,
): Promise<IssuerCredentials> {
  return await explained(place, async () => {
    const parameters = validateAuthResponse(server, client, answer, state);
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      PUBLIC_CLIENT,
      parameters,
      redirectUri,
      verifier,
      { ...options, signal },
    );
    const wanted = { expectedNonce: nonce, requireIdToken: true };
    return credentialsFrom(place, await processAuthorizationCodeResponse(server, client, response, wanted));
  });
}

function authorizationUrl({ server }: IssuerConnection, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(server.authorization_endpoint ?? '');
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

interface AnswerListener {
  readonly redirectUri: string;
  /** Waits for the redirect with this state; other requests are refused. */
  next(state: string): Promise<URLSearchParams>;
  close(): void;
}

async function listenForAnswer(signal: AbortSignal): Promise<AnswerListener> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening', { signal });
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
  return {
    redirectUri,
    next: async (state) => {
      const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', redirectUri);
        if (pathname !== PATH || searchParams.get('state') !== state) return void response.writeHead(404).end();
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', connection: 'close' });
        response.end(PAGE, () => resolve(searchParams));
      });
      return await promise;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>FleetShift</title>
<h1>Return to the terminal</h1><p>You can close this window.</p></html>
`;
