import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openKeyRing, Sealer } from '#kit/sealing';
import { systemClock } from '#kit/std';
import { createEventLog } from '#kit/storage/outbox';
import { loadAdminToken } from '#runtime/instance/admin-token';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import { freshDatabase } from '#testing/databases';
import { memoryLogger } from '../../../contexts/governance/testing/governance-api.ts';
import { call } from '../../../contexts/identity/testing/call.ts';
import { testServer } from '../../../kit/http/testing/test-server.ts';
import { resolvePlatformConfig } from '../config.ts';
import { operatorDialGuard } from '../dial-guard.ts';
import { openCallers } from '../open-callers.ts';
import { openAccess } from './open-access.ts';

const signal = new AbortController().signal;
const ACCOUNT = '/v1/workspaces/web/service-accounts/ci';
const QUESTION = { permission: 'workspaces.read', resource: { kind: 'workspace', name: 'web' } } as const;
const CI = { kind: 'serviceAccount', id: 'web/ci' } as const;

/** No follower of the event log runs here: the index knows only what this process applied directly. */
test('what was granted to a service account ends with it, before the answer', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-account-'));
  const database = await freshDatabase('sqlite');
  t.after(async () => {
    await database.dispose();
    rmSync(folder, { recursive: true });
  });
  const storage = await database.open(SCHEMA_MODULES);
  const log = memoryLogger([]);
  const access = await openAccess({ storage, events: createEventLog(storage), log, adminRemains: () => true }, signal);
  const keys = await openKeyRing({ file: join(folder, 'keys.json'), storage, clock: systemClock }, signal);
  const adminToken = loadAdminToken(join(folder, 'admin-token'));
  const config = resolvePlatformConfig({ args: [], environment: {}, readText: () => '' }).values;
  const guard = operatorDialGuard(config, () => ({}));
  const callers = openCallers({
    config,
    dial: { issuers: guard, named: guard },
    storage,
    sealer: new Sealer(keys),
    adminToken,
    dataFolder: folder,
    urls: () => [],
    grants: access.grants,
    log,
  });
  t.after(() => callers.close());
  const { server } = await testServer([...access.routes, ...callers.routes], {
    authenticator: callers.authenticator,
    authorizer: access.authorizer,
  });
  t.after(() => server.close(1_000));
  const headers = { authorization: `Bearer ${adminToken.token.reveal()}` };
  const ask = async (what: string, want: number, body?: object) =>
    await call(server, what, { headers, want, ...(body === undefined ? {} : { body }) });
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
