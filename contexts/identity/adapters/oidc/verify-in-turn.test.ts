import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { VERIFIED_AT_ONCE, VerifyInTurn } from './verify-in-turn.ts';

const { signal } = new AbortController();

describe('tokens whose signatures are verified', () => {
  it('are a few at a time for one address, and one that was good before does not wait', async () => {
    const turns = new VerifyInTurn();
    const begun: string[] = [];
    const gates = new Map<string, PromiseWithResolvers<string | undefined>>();
    const verify = (token: string, address: string): Promise<string | undefined> =>
      turns.run(
        { token, address },
        () => {
          begun.push(token);
          const gate = Promise.withResolvers<string | undefined>();
          gates.set(token, gate);
          return gate.promise;
        },
        signal,
      );
    const good = verify('good', '2001:db8::1');
    gates.get('good')?.resolve('alice');
    assert.equal(await good, 'alice');
    const bad = Array.from({ length: 10 }, (_, nth) => verify(`bad ${nth}`, `2001:db8::${nth}`));
    const again = verify('good', '2001:db8::1');
    const elsewhere = verify('elsewhere', '2001:db8:0:1::1');
    const first = Array.from({ length: VERIFIED_AT_ONCE }, (_, nth) => `bad ${nth}`);
    assert.deepEqual(begun, ['good', ...first, 'good', 'elsewhere']);
    gates.get('good')?.resolve('alice');
    assert.equal(await again, 'alice');
    while (begun.length < 13) {
      for (const gate of gates.values()) gate.resolve(undefined);
      await nextTurn();
    }
    for (const gate of gates.values()) gate.resolve(undefined);
    assert.deepEqual(new Set(await Promise.all([...bad, elsewhere])), new Set([undefined]));
  });

  it('give their turn back when they cannot be verified', async () => {
    const turns = new VerifyInTurn();
    const fail = () =>
      turns.run({ token: 'x', address: '192.0.2.1' }, () => Promise.reject(new Error('no issuer')), signal);
    await Promise.all(Array.from({ length: 10 }, () => assert.rejects(fail())));
    assert.equal(await turns.run({ token: 'x', address: '192.0.2.1' }, async () => 'alice', signal), 'alice');
  });
});
