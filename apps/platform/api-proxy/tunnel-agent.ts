import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { headerIn } from '#contexts/api-proxy';
import { PROOF_HEADER, type ProvedRequest, type Seal, TunnelSigner } from '#contexts/api-proxy/adapters';

export interface TunnelTarget {
  readonly uid: string;
  readonly workspace: string;
}

/** The key is known to nobody but the two ends of the tunnel and those who carry it. */
export type OpenTunnel = (target: TunnelTarget) => Promise<{ readonly tunnel: Duplex; readonly key: Uint8Array }>;

/** An agent of Node tells connections apart by a host's name; neither part of this has a dot. */
export function hostOf({ uid, workspace }: TunnelTarget): string {
  return `${uid}.${workspace}`;
}

const KEPT_PER_TARGET = 16;
const IDLE_MS = 60_000;

/** Tunnels instead of sockets, used again for the next request to the same target: opening one is a journey of its own. */
export class TunnelAgent extends Agent {
  readonly #open: OpenTunnel;
  readonly #idle = new WeakMap<Duplex, NodeJS.Timeout>();
  readonly #signers = new WeakMap<Duplex, TunnelSigner>();

  constructor(open: OpenTunnel) {
    super({ keepAlive: true, maxFreeSockets: KEPT_PER_TARGET });
    this.#open = open;
  }

  override createConnection(
    { host }: { readonly host?: string | null },
    callback: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const [uid = '', workspace = ''] = host?.split('.') ?? [];
    this.#open({ uid, workspace }).then(
      ({ tunnel, key }) => {
        this.#signers.set(tunnel, new TunnelSigner(key));
        callback(null, tunnel);
      },
      (error: unknown) => (callback as (error: unknown) => void)(error),
    );
  }

  /** Of one request, whichever tunnel it takes. */
  seal(request: ProvedRequest): Seal {
    return {
      headers: (tunnel) => ({ [PROOF_HEADER]: this.#signers.get(tunnel)?.sign(request) ?? '' }),
      isAnswer: (tunnel, { rawHeaders }: IncomingMessage) =>
        this.#signers.get(tunnel)?.isAnswer(headerIn(rawHeaders, PROOF_HEADER)) === true,
    };
  }

  /** Node's own would ask a socket to watch over itself, and a tunnel is none. */
  override keepSocketAlive(tunnel: Duplex): boolean {
    if (tunnel.destroyed || !tunnel.writable || !tunnel.readable) return false;
    this.#idle.set(tunnel, setTimeout(() => tunnel.destroy(), IDLE_MS).unref());
    return true;
  }

  override reuseSocket(tunnel: Duplex, request: ClientRequest): void {
    clearTimeout(this.#idle.get(tunnel));
    super.reuseSocket(tunnel, request);
  }
}
