import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseResourceName } from '#kit/std';
import { newBootstrapToken } from './bootstrap-token.ts';
import { claimTarget } from './claim-target.ts';
import { EnrolmentError } from './enrolment-error.ts';

const claimed = { name: 'edge', type: 'directory' };
const known = { ...claimed, workspace: 'web', isServed: false };
const web = { name: parseResourceName('web'), path: '/root/web/' };

for (const { why, token = {}, there, want } of [
  { why: 'one that is not there is made', there: undefined, want: 'create' },
  { why: 'one that nobody speaks for is taken over', there: known, want: 'bind' },
  { why: 'one that somebody speaks for is not', there: { ...known, isServed: true }, want: 'TARGET_CLAIMED' },
  { why: 'unless the token names it', token: { targets: ['edge'] }, there: { ...known, isServed: true }, want: 'bind' },
  { why: 'one of another workspace never is', there: { ...known, workspace: 'emea' }, want: 'TARGET_CLAIMED' },
  {
    why: 'not even when the token names it',
    token: { targets: ['edge'] },
    there: { ...known, workspace: 'emea' },
    want: 'TARGET_CLAIMED',
  },
  { why: 'one of another type is not', there: { ...known, type: 'kubernetes' }, want: 'TARGET_CLAIMED' },
  {
    why: 'a token for others is not for it',
    token: { targets: ['other'] },
    there: undefined,
    want: 'TARGET_NOT_ALLOWED',
  },
  {
    why: 'nor one for another type',
    token: { targetType: 'kubernetes' },
    there: undefined,
    want: 'TARGET_NOT_ALLOWED',
  },
]) {
  test(why, () => {
    const bootstrap = newBootstrapToken(token, { id: 'id', hash: '', workspace: web, now: 0 });
    assert.equal(
      outcomeOf(() => claimTarget(bootstrap, claimed, there).kind),
      want,
    );
  });
}

function outcomeOf(claim: () => string): string {
  try {
    return claim();
  } catch (error) {
    if (error instanceof EnrolmentError) return error.code;
    throw error;
  }
}
