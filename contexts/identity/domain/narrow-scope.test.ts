import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TokenScope } from './account-token.ts';
import { type MakerScope, narrowScope } from './narrow-scope.ts';

const WEB = 'workspaces/web';

describe('the scope of a token that is made', () => {
  for (const { why, asked, maker, want } of [
    {
      why: 'is what was asked for, by who is not narrowed',
      asked: { within: WEB },
      maker: undefined,
      want: { within: WEB },
    },
    {
      why: 'is at least that of its maker',
      asked: {},
      maker: { within: WEB, roles: ['viewer'] },
      want: { within: WEB, roles: ['viewer'] },
    },
    {
      why: 'may be narrower',
      asked: { roles: ['viewer'] },
      maker: { within: WEB, roles: ['viewer', 'admin'] },
      want: { within: WEB, roles: ['viewer'] },
    },
  ] satisfies { why: string; asked: TokenScope; maker: MakerScope | undefined; want: TokenScope }[]) {
    it(why, () => assert.deepEqual(narrowScope(asked, maker), want));
  }

  for (const { why, asked, maker } of [
    { why: 'elsewhere', asked: { within: 'workspaces/other' }, maker: { within: WEB } },
    { why: 'with a role that its maker does not use', asked: { roles: ['admin'] }, maker: { roles: ['viewer'] } },
  ] satisfies { why: string; asked: TokenScope; maker: MakerScope }[]) {
    it(`is refused ${why}`, () => assert.throws(() => narrowScope(asked, maker), { code: 'SCOPE_EXCEEDED' }));
  }
});
