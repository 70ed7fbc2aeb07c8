import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VisibleSet } from '../application/ports.ts';
import { aTarget, named, placeAt } from '../testing/a-target.ts';
import { shownTargets } from './shown-targets.ts';

const { signal } = new AbortController();
const ANN = { kind: 'user', id: 'ann' } as const;
const prod = aTarget({ name: named('prod'), workspace: placeAt('/root/emea/') });
const alias = aTarget({ name: named('alias'), workspace: placeAt('/root/emea/web/'), aliasOf: prod.name });
const targets = { find: async (name: string) => (name === prod.name ? prod : undefined) };

for (const { why, visible, want } of [
  { why: 'a reader of everything', visible: { kind: 'everything' }, want: 'prod' },
  { why: 'a reader of its workspace', visible: { kind: 'some', workspaces: ['emea'], targets: [] }, want: 'prod' },
  { why: 'a reader of a workspace above', visible: { kind: 'some', workspaces: ['root'], targets: [] }, want: 'prod' },
  { why: 'a reader of it alone', visible: { kind: 'some', workspaces: ['web'], targets: ['prod'] }, want: 'prod' },
  { why: 'no reader of the alias alone', visible: { kind: 'some', workspaces: ['web'], targets: [] }, want: undefined },
  {
    why: 'no reader by a part of its name',
    visible: { kind: 'some', workspaces: ['eme'], targets: ['pro'] },
    want: undefined,
  },
] as const satisfies readonly { why: string; visible: VisibleSet; want: string | undefined }[]) {
  test(`the target behind an alias is named to ${why}`, async () => {
    const onlooker = { principal: ANN, visibility: { of: async () => visible }, targets };
    const shown = await shownTargets([alias, prod], onlooker, signal);
    assert.deepEqual(
      shown.map(({ name, aliasOf }) => [name, aliasOf]),
      [
        ['alias', want],
        ['prod', undefined],
      ],
    );
  });
}

test('the target behind an alias is named to no caller once it is gone', async () => {
  const visibility = { of: async () => ({ kind: 'everything' }) as const };
  const gone = { find: async () => undefined };
  const [shown] = await shownTargets([alias], { principal: ANN, visibility, targets: gone }, signal);
  assert.equal(shown?.aliasOf, undefined);
});
