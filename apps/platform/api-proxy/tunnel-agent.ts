import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { headerIn } from '#contexts/api-proxy';
import { PROOF_HEADER, type ProvedRequest, type Seal, TunnelSigner } from '#contexts/api-proxy/adapters';

export interface TunnelTarget {
  readonly uid: string;
  readonly workspace: string;
}

/** Only the two ends of the tunnel, and the channel in between, know the key. */
export type OpenTunnel = (target: TunnelTarget) => Promise<{ readonly tunnel: Duplex; readonly key: Uint8Array }>;

/** A Node agent pools connections by host name; neither part contains a dot. */
export function hostOf({ uid, workspace }: TunnelTarget): string {
  return `${uid}.${workspace}`;
}

const KEPT_PER_TARGET = 16;
const IDLE_MS = 60_000;

/** Pools tunnels instead of sockets, since opening a tunnel needs a round trip to the agent. */
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

  /** For one request, on whichever tunnel. */
  seal(request: ProvedRequest): Seal {
    return {
      headers: (tunnel) => ({ [PROOF_HEADER]: this.#signers.get(tunnel)?.sign(request) ?? '' }),
      isAnswer: (tunnel, { rawHeaders }: IncomingMessage) =>
        this.#signers.get(tunnel)?.isAnswer(headerIn(rawHeaders, PROOF_HEADER)) === true,
    };
  }

  /** Node's own implementation calls socket methods that a tunnel does not have. */
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
