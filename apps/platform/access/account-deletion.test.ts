import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessServer } from '../testing/access-server.ts';

const ACCOUNT = '/v1/workspaces/web/service-accounts/ci';
const QUESTION = { permission: 'workspaces.read', resource: { kind: 'workspace', name: 'web' } } as const;
const CI = { kind: 'serviceAccount', id: 'web/ci' } as const;

test('what was granted to a service account ends with it, before the answer', async (t) => {
  const { access, ask } = await accessServer(t);
  const mayRead = (): boolean => access.index.permittedSubjects(QUESTION, { after: undefined, limit: 9 }).length > 0;

  await ask('POST /v1/workspaces', 201, { name: 'web' });
  await ask('POST /v1/workspaces/web/service-accounts', 201, { name: 'ci' });
  await ask('POST /v1/workspaces/web/grants', 201, { subject: CI, role: 'viewer' });
  assert.equal(mayRead(), true);
  await ask(`DELETE ${ACCOUNT}?dryRun=true`, 204);
  assert.equal(mayRead(), true, 'nothing becomes of a dry run');
  await ask(`DELETE ${ACCOUNT}`, 204);
  assert.equal(mayRead(), false);
});
