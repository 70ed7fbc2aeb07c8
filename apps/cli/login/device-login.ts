import {
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
  ResponseBodyError,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { sleep } from '#kit/std';
import { ClientError } from '../client/client-error.ts';
import type { IssuerCredentials } from '../config-file/cli-config.ts';
import { printable } from '../output/printable.ts';
import { credentialsFrom, explained, type IssuerConnection, PUBLIC_CLIENT } from './issuer-connection.ts';
import type { LoginWith } from './loopback-login.ts';

const DEFAULT_INTERVAL_S = 5;

/** The device flow (RFC 8628): a browser on any machine, and a code to compare. */
export async function deviceLogin(
  connection: IssuerConnection,
  { scopes, tell }: LoginWith,
  signal: AbortSignal,
): Promise<IssuerCredentials> {
  const { place, server, client, options } = connection;
  if (server.device_authorization_endpoint === undefined) {
    throw new ClientError(
      'REQUEST_INVALID',
      `the issuer ${place.issuer} does not support the device flow; log in without --device`,
    );
  }
  return await explained(place, async () => {
    const parameters = { scope: scopes.join(' ') };
    const response = await deviceAuthorizationRequest(server, client, PUBLIC_CLIENT, parameters, {
      ...options,
      signal,
    });
    const device = await processDeviceAuthorizationResponse(server, client, response);
    const address = printable(device.verification_uri_complete ?? device.verification_uri);
    tell(
      `Open this address in a browser on any machine:\n\n  ${address}\n\nand check that it shows the code ${printable(device.user_code)}\n\n`,
    );
    const waiting = { code: device.device_code, interval: device.interval ?? DEFAULT_INTERVAL_S };
    const deadline = AbortSignal.timeout(device.expires_in * 1000);
    return credentialsFrom(place, await poll(connection, waiting, AbortSignal.any([signal, deadline])));
  });
}

async function poll(
  { server, client, options }: IssuerConnection,
  waiting: { readonly code: string; readonly interval: number },
  signal: AbortSignal,
): Promise<TokenEndpointResponse> {
  let { interval } = waiting;
  for (;;) {
    await sleep(interval * 1000, signal);
    const response = await deviceCodeGrantRequest(server, client, PUBLIC_CLIENT, waiting.code, { ...options, signal });
    try {
      return await processDeviceCodeResponse(server, client, response);
    } catch (error) {
      if (!(error instanceof ResponseBodyError)) throw error;
      if (error.error === 'slow_down') interval += DEFAULT_INTERVAL_S;
      else if (error.error !== 'authorization_pending') throw error;
    }
  }
}
