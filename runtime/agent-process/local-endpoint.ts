import { readFileSync } from 'node:fs';
import type { ConnectLocalOptions } from '#contexts/channels/adapters';
import { Secret } from '#kit/std';
import type { FleetletEndpointConfig } from './agent-settings.ts';

const USUAL_SOCKET = './.fleetshift/fleetlet.sock';

/**
 * The fleetlet's address, and our credentials. Files are read again for each connection, because they are renewed in
 * place.
 */
export function localEndpoint(config: FleetletEndpointConfig): Pick<ConnectLocalOptions, 'to' | 'tls' | 'token'> {
  const { fleetlet, fleetletSocket = USUAL_SOCKET, tokenFile, caFile } = config;
  const token = tokenFile && (() => new Secret(readFileSync(tokenFile, 'utf8').trim()));
  const credentials = caFile && (() => ({ trust: { only: [readFileSync(caFile, 'utf8')] } }));
  return {
    to: fleetlet === undefined ? { path: fleetletSocket } : fleetlet,
    ...(token && { token }),
    ...(credentials && { tls: { credentials } }),
  };
}
