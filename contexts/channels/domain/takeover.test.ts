import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Serving } from './control-message.ts';
import { type StandingClaim, speakerOf } from './takeover.ts';

function claim(session: string, serving: Serving, since: number): StandingClaim {
  return { session, serving, since };
}

const CASES: readonly { why: string; claims: readonly StandingClaim[]; want: string | undefined }[] = [
  { why: 'nobody speaks for what nobody claims', claims: [], want: undefined },
  { why: 'the only one does, from wherever', claims: [claim('a', 'proxy', 1)], want: 'a' },
  {
    why: 'one that is there supersedes a proxy that came first',
    claims: [claim('proxy', 'proxy', 1), claim('there', 'colocated', 2)],
    want: 'there',
  },
  {
    why: 'a proxy that comes later takes nothing from one that is there',
    claims: [claim('there', 'colocated', 1), claim('proxy', 'proxy', 2)],
    want: 'there',
  },
  {
    why: 'of two that are there the newest',
    claims: [claim('old', 'colocated', 1), claim('new', 'colocated', 2)],
    want: 'new',
  },
  { why: 'of two proxies the newest', claims: [claim('new', 'proxy', 7), claim('old', 'proxy', 3)], want: 'new' },
  {
    why: 'the old one that connects again has its old claim, however late it is told of',
    claims: [claim('new', 'colocated', 2), claim('old', 'colocated', 1)],
    want: 'new',
  },
];

for (const { why, claims, want } of CASES) {
  test(why, () => assert.equal(speakerOf(claims)?.session, want));
}
