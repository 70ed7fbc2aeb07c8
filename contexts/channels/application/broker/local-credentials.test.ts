import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OpenFrame } from '../../domain/frame.ts';
import type { LinkPeer } from '../link.ts';
import type { LocalIdentity } from './local-authenticator.ts';
import { LocalCredentials } from './local-credentials.ts';

const { signal } = new AbortController();
const peerOf = (name: string): LinkPeer => ({ address: name, headers: {}, certificate: undefined });

function setUp(identify: (peer: LinkPeer) => Promise<LocalIdentity>) {
  const open = new Set<LinkPeer>();
  const closed: string[] = [];
  const acceptor = {
    closeWhere: (match: (frame: OpenFrame, peer: LinkPeer) => boolean): void => {
      for (const peer of open) {
        if (!match({} as OpenFrame, peer)) continue;
        open.delete(peer);
        closed.push(peer.address);
      }
    },
  };
  const credentials = new LocalCredentials(acceptor, { mayForget: true, identify });
  for (const name of ['one', 'two']) {
    const peer = peerOf(name);
    open.add(peer);
    credentials.admitted(peer, `token:${name}`);
  }
  return { credentials, closed };
}

describe('streams of local processes', () => {
  for (const { why, now } of [
    { why: 'is not known any more', now: async () => ({ kind: 'unknown', message: 'taken out' }) as const },
    { why: 'is that of another', now: async () => ({ kind: 'known', identity: 'token:other' }) as const },
    { why: 'cannot be looked up', now: () => Promise.reject(new Error('no such file')) },
  ]) {
    it(`end when their token ${why}, and others go on`, async () => {
      const known = async ({ address }: LinkPeer): Promise<LocalIdentity> =>
        address === 'one' ? await now() : { kind: 'known', identity: `token:${address}` };
      const { credentials, closed } = setUp(known);
      await credentials.check(signal);
      assert.deepEqual(closed, ['one']);
    });
  }
});
