import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '../kinds/kind.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { planChange } from './plan-change.ts';

const WORKSPACE = { name: 'web', kind: 'project', parent: 'shop', labels: { team: 'a', old: 'x' }, displayName: 'Web' };
const GRANT = { name: 'g', subject: { kind: 'user', id: 'alice' }, role: 'viewer' };
const ISSUER = { name: 'corp', url: 'https://a.example', claims: { username: 'claims.sub', groups: '[]' } };

const rows: { why: string; kind: string; current: Resource; wanted: Resource; plan: object }[] = [
  { why: 'nothing is named', kind: 'workspace', current: WORKSPACE, wanted: {}, plan: {} },
  {
    why: 'all is so already',
    kind: 'workspace',
    current: WORKSPACE,
    wanted: { kind: 'project', parent: 'shop', labels: { old: 'x', team: 'a' } },
    plan: {},
  },
  {
    why: 'labels become just those that are named',
    kind: 'workspace',
    current: WORKSPACE,
    wanted: { labels: { team: 'b' } },
    plan: { patch: { labels: { team: 'b', old: null } } },
  },
  {
    why: 'null takes away',
    kind: 'workspace',
    current: WORKSPACE,
    wanted: { displayName: null, region: null },
    plan: { patch: { displayName: null } },
  },
  {
    why: 'another parent is a move',
    kind: 'workspace',
    current: WORKSPACE,
    wanted: { parent: 'emea' },
    plan: { verb: { parent: 'emea' } },
  },
  {
    why: 'what never changes',
    kind: 'workspace',
    current: WORKSPACE,
    wanted: { kind: 'folder' },
    plan: { fixed: ['kind'] },
  },
  {
    why: 'a rollout becomes just what is said of it',
    kind: 'deployment',
    current: { rollout: { type: 'rolling', batchSize: 5, maxFailures: 1 } },
    wanted: { rollout: { type: 'rolling', batchSize: '10%' } },
    plan: { patch: { rollout: { batchSize: '10%', maxFailures: null } } },
  },
  {
    why: 'one of another type is sent as a whole',
    kind: 'deployment',
    current: { rollout: { type: 'rolling', batchSize: 5, maxFailures: 1 } },
    wanted: { rollout: { type: 'immediate', maxFailures: 1 } },
    plan: { patch: { rollout: { type: 'immediate', maxFailures: 1 } } },
  },
  {
    why: 'the same grant',
    kind: 'grant',
    current: GRANT,
    wanted: { subject: { id: 'alice', kind: 'user' } },
    plan: {},
  },
  { why: 'another grant', kind: 'grant', current: GRANT, wanted: { role: 'admin' }, plan: { fixed: ['role'] } },
  {
    why: 'a secret cannot be compared, and is sent',
    kind: 'issuer',
    current: ISSUER,
    wanted: { clientSecret: 's' },
    plan: { patch: { clientSecret: 's' } },
  },
  {
    why: 'what is replaced as a whole is sent whole',
    kind: 'issuer',
    current: ISSUER,
    wanted: { claims: { username: 'claims.email' } },
    plan: { patch: { claims: { username: 'claims.email' } } },
  },
];

for (const { why, kind, current, wanted, plan } of rows) {
  test(why, () => {
    const rules = kindNamed(kind).apply ?? assert.fail();
    assert.deepEqual(planChange(rules, current, wanted), { fixed: [], verb: undefined, patch: undefined, ...plan });
  });
}
