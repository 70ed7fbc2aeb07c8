import type { Acceptor } from '../acceptor.ts';
import type { LinkPeer } from '../link.ts';
import type { LocalAuthenticator } from './local-authenticator.ts';

/** As whom each peer was let in, for authenticators that may not know it any more one day. */
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
   * Closes the streams of those who would not be let in now; in doubt, too. They are told to come again, so that one whose token
   * was replaced comes with the new one, and one without is refused then.
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
  message: 'The credentials of this stream are not confirmed any more. Open it again.',
  retryAfterMs: 0,
} as const;
