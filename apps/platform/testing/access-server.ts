import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { AuditEntry } from '#kit/http';
import { openKeyRing, Sealer } from '#kit/sealing';
import { systemClock } from '#kit/std';
import type { Storage } from '#kit/storage';
import { createEventLog } from '#kit/storage/outbox';
import { loadAdminToken } from '#runtime/instance/admin-token';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import { freshDatabase } from '#testing/databases';
import { memoryLogger } from '../../../contexts/governance/testing/governance-api.ts';
import { bearer, call } from '../../../contexts/identity/testing/call.ts';
import { testServer } from '../../../kit/http/testing/test-server.ts';
import { type Access, type OpenAccessDeps, openAccess } from '../access/open-access.ts';
import { resolvePlatformConfig } from '../config.ts';
import { operatorDialGuard } from '../dial-guard.ts';
import { openCallers } from '../open-callers.ts';

export interface AccessServer {
  readonly access: Access;
  readonly storage: Storage;
  /** Refused requests, as the audit log gets them. */
  readonly refusals: readonly AuditEntry[];
  /** As the administrator, unless there is another token. Any other status than `want` fails the test. */
  readonly ask: (what: string, want: number, body?: object, token?: string) => ReturnType<typeof call>;
}

/**
 * The tree, access and identity on a real database, with the real routes. No follower of the event log runs: the index
 * knows only what this process applied directly.
 */
export async function accessServer(
  t: TestContext,
  { decisionsFrom }: Pick<OpenAccessDeps, 'decisionsFrom'> = {},
): Promise<AccessServer> {
  const signal = new AbortController().signal;
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-access-'));
  const database = await freshDatabase('sqlite');
  t.after(async () => {
    await database.dispose();
    rmSync(folder, { recursive: true });
  });
  const storage = await database.open(SCHEMA_MODULES);
  const log = memoryLogger([]);
  const events = createEventLog(storage);
  const from = decisionsFrom === undefined ? {} : { decisionsFrom };
  const access = await openAccess({ storage, events, log, adminRemains: () => true, ...from }, signal);
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
    decisions: access.decisions,
    grants: access.grants,
    log,
  });
  t.after(() => callers.close());
  const refusals: AuditEntry[] = [];
  const { server } = await testServer([...access.routes, ...callers.routes], {
    authenticator: callers.authenticator,
    authorizer: access.authorizer,
    audit: { ...access.audit, refused: async (entry) => void refusals.push(entry) },
  });
  t.after(() => server.close(1_000));
  return {
    access,
    storage,
    refusals,
    ask: async (what, want, body, token = adminToken.token.reveal()) =>
      await call(server, what, { headers: bearer(token), want, ...(body === undefined ? {} : { body }) }),
  };
}
