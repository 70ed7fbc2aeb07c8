import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceName } from '#kit/std';
import { approversOf } from './open-access.ts';

const signal = new AbortController().signal;
const SHOP = 'shop' as ResourceName;

for (const { why, permitted, want } of [
  { why: 'there is none', permitted: [], want: false },
  { why: 'the requesters alone may', permitted: ['user:ann', 'user:bob'], want: false },
  { why: 'a service account is no person', permitted: ['serviceAccount:web/ci'], want: false },
  { why: 'a third person may', permitted: ['user:ann', 'user:carol'], want: true },
  { why: 'a group can have anyone in it', permitted: ['group:ops'], want: true },
  {
    why: 'there are more than are looked at',
    permitted: Array.from({ length: 5_000 }, (_, number) => `serviceAccount:web/ci-${number}`),
    want: true,
  },
]) {
  test(`whether a person besides the requesters may approve: ${why}`, async () => {
    const subjects = permitted.map((each) => {
      const [kind = '', id = ''] = each.split(':');
      return { kind, id } as never;
    });
    const asked: unknown[] = [];
    const approvers = approversOf({
      lookupSubjects: async ({ permission, resource, limit }) => {
        asked.push({ permission, resource });
        return subjects.slice(0, limit);
      },
    });
    assert.equal(await approvers.hasPersonBesides(SHOP, ['user:ann', 'user:bob'], signal), want);
    assert.deepEqual(asked, [{ permission: 'approvals.answer', resource: { kind: 'workspace', name: 'shop' } }]);
  });
}
