import type { Acceptor } from '../acceptor.ts';
import type { LinkPeer } from '../link.ts';
import type { LocalAuthenticator } from './local-authenticator.ts';

/** Remembers the identity under which each peer was admitted, for authenticators whose credentials can be withdrawn. */
export class LocalCredentials {
  readonly #acceptor: Pick<Acceptor, 'closeWhere'>;
  readonly #authenticator: LocalAuthenticator;
  readonly #admitted = new Map<LinkPeer, string>();

  constructor(acceptor: Pick<Acceptor, 'closeWhere'>, authenticator: LocalAuthenticator) {
    this.#acceptor = acceptor;
    this.#authenticator = authenticator;
  }

  admitted(peer: LinkPeer, identity: string): void {
    if (this.#authenticator.mayForget) this.#admitted.set(peer, identity);
  }

  /**
   * Closes the streams of peers that would not be admitted now, also when the check fails. They are told to reconnect: a
   * process whose token was replaced returns with the new one, and one without a valid token is refused then.
   */
  async check(signal: AbortSignal): Promise<void> {
    const open = new Set<LinkPeer>();
    this.#acceptor.closeWhere((_open, peer) => (open.add(peer), false), COME_AGAIN);
    const ended = new Set<LinkPeer>();
    for (const [peer, identity] of this.#admitted) {
      if (!open.has(peer)) this.#admitted.delete(peer);
      else if (!(await this.#isStill(identity, peer, signal))) ended.add(peer);
    }
    if (ended.size > 0) this.#acceptor.closeWhere((_open, peer) => ended.has(peer), COME_AGAIN);
  }

  async #isStill(identity: string, peer: LinkPeer, signal: AbortSignal): Promise<boolean> {
    try {
      const now = await this.#authenticator.identify(peer, signal);
      return now.kind === 'known' && now.identity === identity;
    } catch {
      return false;
    }
  }
}

const COME_AGAIN = {
  reason: 'draining',
  message: 'The credentials of this stream are no longer valid. Open it again.',
  retryAfterMs: 0,
} as const;
