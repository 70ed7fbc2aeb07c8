import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AcceptLink, LocalAuthenticator } from '#contexts/channels';
import {
  CHANNEL_METHOD,
  createSocketAuthenticator,
  createTokenFileAuthenticator,
  frameAcceptor,
} from '#contexts/channels/adapters';
import { Secret } from '#kit/std';
import type { TransportServer } from '#kit/transport';
import { type GrpcServer, type GrpcServerOptions, listenGrpc } from '#kit/transport/grpc';
import type { FleetletConfig } from '../config.ts';
import { FleetletError } from '../fleetlet-error.ts';

export interface LocalListenersDeps {
  readonly config: Pick<FleetletConfig, 'listenUds' | 'listenTcp' | 'localTokenFile' | 'localTlsCert' | 'localTlsKey'>;
  readonly folder: string;
  /** Accepts connections of one listener, with its own authenticator. */
  readonly listen: (authenticator: LocalAuthenticator) => AcceptLink;
  /** Authenticates callers over TCP, in addition to the token file. */
  readonly callers?: LocalAuthenticator;
}

export interface LocalListeners {
  readonly socket: string;
  readonly tcp: { readonly host: string; readonly port: number } | undefined;
  readonly servers: readonly TransportServer[];
}

/** Listeners for local processes: always a socket, and TCP if configured. */
export async function openLocalListeners(deps: LocalListenersDeps): Promise<LocalListeners> {
  const { config, folder, listen } = deps;
  const path = resolve(config.listenUds ?? join(folder, 'fleetlet.sock'));
  const socket = await serve({ at: { path } }, listen(createSocketAuthenticator(path)));
  const { listenTcp, localTlsCert, localTlsKey } = config;
  const authenticator = callersOf(deps);
  if (listenTcp === undefined || authenticator === undefined)
    return { socket: path, tcp: undefined, servers: [socket] };
  const tls =
    localTlsCert === undefined || localTlsKey === undefined
      ? {}
      : {
          tls: { cert: read('--local-tls-cert', localTlsCert), key: new Secret(read('--local-tls-key', localTlsKey)) },
        };
  try {
    const tcp = await serve({ at: listenTcp, ...tls }, listen(authenticator));
    const { address } = tcp;
    return { socket: path, tcp: 'host' in address ? address : undefined, servers: [socket, tcp] };
  } catch (error) {
    await socket.close();
    throw error;
  }
}

/** A caller whose token is not in the file may be authenticated by other means. */
function callersOf({ config: { localTokenFile }, callers }: LocalListenersDeps): LocalAuthenticator | undefined {
  const tokens = localTokenFile === undefined ? undefined : createTokenFileAuthenticator(localTokenFile);
  if (tokens === undefined || callers === undefined) return tokens ?? callers;
  return {
    identify: async (peer, signal) => {
      const known = await tokens.identify(peer, signal);
      return known.kind === 'known' ? known : await callers.identify(peer, signal);
    },
  };
}

function serve(options: Pick<GrpcServerOptions, 'at' | 'tls'>, accept: AcceptLink): Promise<GrpcServer> {
  return listenGrpc({ ...options, path: CHANNEL_METHOD, accept: frameAcceptor(accept), maxConnections: 1_000 });
}

function read(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FleetletError('FILE_UNUSABLE', `${setting} ${file} cannot be read: ${why}`, { cause });
  }
}
