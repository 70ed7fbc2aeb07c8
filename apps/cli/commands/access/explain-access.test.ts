import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../command.ts';
import { renderExplanation } from './explain-access.ts';
import { readSubject } from './read-subject.ts';

for (const { why, explanation, want } of [
  {
    why: 'by a grant above',
    explanation: {
      allowed: true,
      reasons: [
        {
          kind: 'grant' as const,
          subject: { kind: 'group' as const, id: 'dev' },
          role: 'viewer' as const,
          grant: 'workspaces/shop/grants/g',
          path: ['workspaces/shop', 'workspaces/web'],
        },
      ],
    },
    want: `yes:
  group:dev was granted viewer on workspaces/shop, inherited along workspaces/shop > workspaces/web (workspaces/shop/grants/g)
`,
  },
  {
    why: 'by being who one is',
    explanation: { allowed: true, reasons: [{ kind: 'instanceAdmin' as const, path: [] }] },
    want: 'yes:\n  the administrator of the instance may do everything\n',
  },
  {
    why: 'not, and what it takes',
    explanation: {
      allowed: false,
      reasons: [],
      denial: 'noGrant' as const,
      needed: { on: 'targets/t', roles: ['admin' as const], permission: 'logs-read' },
    },
    want: 'no: no grant allows it\n  needs admin or the permission logs-read on targets/t or anything above it\n',
  },
]) {
  test(`allowed ${why}`, () => assert.equal(renderExplanation(explanation), want));
}

for (const { text, want } of [
  { text: 'user:alice', want: { kind: 'user', id: 'alice' } },
  { text: 'user:corp:alice', want: { kind: 'user', id: 'corp:alice' } },
  { text: 'group:dev', want: { kind: 'group', id: 'dev' } },
  { text: 'sa:web/ci', want: { kind: 'serviceAccount', id: 'web/ci' } },
  { text: 'service-account:web/ci', want: { kind: 'serviceAccount', id: 'web/ci' } },
]) {
  test(`the subject ${text}`, () => assert.deepEqual(readSubject('--to', text), want));
}

for (const text of ['alice', 'user:', 'robot:x', 'sa:ci', ':x']) {
  test(`no subject: ${text}`, () => assert.throws(() => readSubject('--to', text), UsageError));
}
