import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { TunnelSigner, TunnelVerifier } from './tunnel-proof.ts';

const ASKED = { method: 'GET', path: '/version', identity: 'vera' };

function ends(key = randomBytes(32)) {
  return { key, platform: new TunnelSigner(key), agent: new TunnelVerifier(key) };
}

test('each end knows what the other wrote, one request after the other', () => {
  const { platform, agent } = ends();
  for (let count = 0; count < 3; count += 1) {
    const answer = agent.verify(platform.sign(ASKED), ASKED);
    assert.ok(answer !== undefined && platform.isAnswer(answer));
  }
});

const FORGED = [
  { why: 'another method', asked: { ...ASKED, method: 'POST' } },
  { why: 'another path', asked: { ...ASKED, path: '/version?x' } },
  { why: 'another caller', asked: { ...ASKED, identity: 'ada' } },
  { why: 'parts that end elsewhere', asked: { ...ASKED, method: 'GE', path: 'T/version' } },
];
for (const { why, asked } of FORGED) {
  test(`${why} is not what was proved`, () => {
    const { platform, agent } = ends();
    assert.equal(agent.verify(platform.sign(ASKED), asked), undefined);
  });
}

test('a proof counts once, in its turn, and on its own tunnel', () => {
  const { platform, agent } = ends();
  const [first, second, third] = [platform.sign(ASKED), platform.sign(ASKED), platform.sign(ASKED)];
  assert.equal(agent.verify(second, ASKED), undefined, 'not before the first');
  assert.ok(agent.verify(first, ASKED));
  assert.equal(agent.verify(first, ASKED), undefined, 'not again');
  assert.equal(agent.verify(third, ASKED), undefined, 'none is left out');
  assert.ok(agent.verify(second, ASKED));
  assert.equal(ends().agent.verify(first, ASKED), undefined);
  assert.equal(agent.verify(undefined, ASKED), undefined);
});

test('an answer is to the last request, and no request is an answer', () => {
  const { platform, agent } = ends();
  const signed = platform.sign(ASKED);
  const answer = agent.verify(signed, ASKED);
  assert.equal(platform.isAnswer(signed), false);
  assert.equal(platform.isAnswer(undefined), false);
  platform.sign(ASKED);
  assert.equal(platform.isAnswer(answer), false);
});
