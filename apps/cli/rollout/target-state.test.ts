import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aTarget, TIME } from '../testing/a-deployment.ts';
import { targetState } from './target-state.ts';

const order = (state: 'queued' | 'sent' | 'accepted', kind: 'deliver' | 'remove' = 'deliver') => ({
  order: { kind, revision: 7, state, since: TIME },
});
const health = (status: 'Available' | 'Degraded' | 'Unknown' | 'Progressing') => ({
  health: { status, revision: 7, message: '' },
});
const OLD = { applied: { revision: 6, hash: 'y' } };
const FAILURE = { failure: { reason: 'Rejected', message: 'no', revision: 7 } };

for (const { why, its, want } of [
  { why: 'it has it and is available', its: {}, want: 'done' },
  { why: 'it has a later one', its: { applied: { revision: 8, hash: 'z' } }, want: 'done' },
  { why: 'its turn has not come', its: OLD, want: 'pending' },
  { why: 'it never had any', its: { applied: undefined }, want: 'pending' },
  { why: 'decided, and not sent', its: { ...OLD, ...order('queued') }, want: 'queued' },
  { why: 'on its way', its: { ...OLD, ...order('sent') }, want: 'sending' },
  { why: 'the agent has it', its: { ...OLD, ...order('accepted') }, want: 'applying' },
  { why: 'nothing heard of its health', its: health('Unknown'), want: 'settling' },
  { why: 'it is on its way', its: health('Progressing'), want: 'settling' },
  { why: 'it is not well', its: health('Degraded'), want: 'degraded' },
  { why: 'it is not well with the old one', its: { ...OLD, ...health('Degraded') }, want: 'degraded' },
  { why: 'it went wrong, also while it is tried again', its: { ...FAILURE, ...order('sent') }, want: 'failed' },
  { why: 'away before it got it', its: { ...OLD, online: false }, want: 'offline' },
  { why: 'away in the middle of it', its: { ...order('accepted'), online: false }, want: 'offline' },
  { why: 'away with all that it should have', its: { online: false }, want: 'offline' },
  { why: 'it gets it later', its: { ...OLD, owed: true }, want: 'owed' },
  { why: 'it is taken off', its: { placed: false, ...order('accepted', 'remove') }, want: 'removing' },
  { why: 'it will be taken off', its: { placed: false }, want: 'leaving' },
  { why: 'somebody changed it there', its: { drift: ['ConfigMap/x'] }, want: 'drifted' },
] as const) {
  test(`${want}: ${why}`, () => {
    const { applied, ...rest } = { ...aTarget('a'), ...its, drift: [...('drift' in its ? its.drift : [])] };
    assert.equal(targetState(applied === undefined ? rest : { ...rest, applied }, 7), want);
  });
}
