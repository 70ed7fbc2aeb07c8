import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type ChannelRule, mayOpen, maySend, principalName } from './channel-acl.ts';

const AGENT = { identity: 'unix:fleetlet.sock', process: 'agent' };
const SCORER = { identity: 'token:scorer', process: 'scores' };
const OWNERS: Readonly<Record<string, string>> = { mine: 'unix:fleetlet.sock/agent', theirs: 'token:scorer/scores' };
const ownerOf = (target: string): string | undefined => OWNERS[target];

suite('who may open a channel', () => {
  const rules: ChannelRule[] = [
    { channel: 'scores', allowed: ['token:scorer'] },
    { channel: 'data/*', allowed: ['unix:fleetlet.sock/agent'] },
    { channel: 'nobody', allowed: [] },
    { channel: 'both', allowed: ['token:*', 'unix:*'] },
  ];
  for (const { why, channel, target = '', who = AGENT, want } of [
    { why: 'control is for all', channel: 'control', want: 'allowed' },
    { why: 'access is for all', channel: 'access', want: 'allowed' },
    { why: 'without a rule it is for all', channel: 'metrics', want: 'allowed' },
    { why: 'a rule names an identity', channel: 'scores', who: SCORER, want: 'allowed' },
    { why: 'and nobody else', channel: 'scores', want: 'forbidden' },
    { why: 'a rule for a beginning, and for a principal', channel: 'data/logs', want: 'allowed' },
    { why: 'and for nobody else', channel: 'data/logs', who: SCORER, want: 'forbidden' },
    {
      why: 'another process behind the same socket',
      channel: 'data/x',
      who: { ...AGENT, process: 'b' },
      want: 'forbidden',
    },
    { why: 'the beginning is not the name without it', channel: 'data', who: SCORER, want: 'allowed' },
    { why: 'a rule that names nobody', channel: 'nobody', want: 'forbidden' },
    { why: 'kinds of identities', channel: 'both', who: SCORER, want: 'allowed' },
    { why: 'a target of one’s own', channel: 'delivery', target: 'mine', want: 'allowed' },
    { why: 'a target of another', channel: 'delivery', target: 'theirs', want: 'forbidden' },
    { why: 'a target that nobody has registered', channel: 'delivery', target: 'none', want: 'unknownTarget' },
    { why: 'of another, on a channel of an addon', channel: 'metrics', target: 'theirs', want: 'forbidden' },
    { why: 'the messages name theirs', channel: 'delivery', want: 'allowed' },
  ]) {
    test(`${why}: ${principalName(who)} opens ${channel} ${target}`, () => {
      const verdict = mayOpen({ channel, target }, who, { rules, ownerOf });
      assert.equal(verdict.kind === 'refused' ? verdict.reason : verdict.kind, want);
    });
  }

  test('two rules for one channel both count', () => {
    const narrower = [...rules, { channel: '*', allowed: ['unix:*'] }];
    assert.equal(mayOpen({ channel: 'scores', target: '' }, SCORER, { rules: narrower, ownerOf }).kind, 'refused');
  });
});

suite('who may say something about a target', () => {
  for (const { why, channel, target, want } of [
    { why: 'its own', channel: 'status', target: 'mine', want: 'allowed' },
    { why: 'of another', channel: 'status', target: 'theirs', want: 'refused' },
    { why: 'of nobody yet', channel: 'status', target: 'none', want: 'unclaimed' },
    { why: 'on a channel of targets each message is about one', channel: 'index', target: '', want: 'refused' },
    { why: 'on others none needs to be', channel: 'metrics', target: '', want: 'allowed' },
    { why: 'but if one is, it is its own', channel: 'metrics', target: 'theirs', want: 'refused' },
  ]) {
    test(`${why}: ${channel} ${target}`, () => assert.equal(maySend({ channel, target }, AGENT, ownerOf), want));
  }
});

test('a process without a name is its identity', () => {
  assert.equal(principalName({ identity: 'token:a', process: '' }), 'token:a');
});
