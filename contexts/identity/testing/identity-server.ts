import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHttpServer, defineRoute, type HttpServer, httpMigrations, ok, type Principal } from '#kit/http';
import { type Clock, FleetError, parseIpNetwork, Secret, type Sleep, systemClock } from '#kit/std';
import type { Storage } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import { createDialGuard } from '#kit/transport/dial';
import { IdentitySchema, TOKEN_ROLES } from '#protocol/api';
import type { TestDatabase } from '#testing/databases';
import { MemoryLog } from '../../../kit/http/testing/test-server.ts';
import { IDENTITY_MIGRATIONS, type Identity, openIdentity } from '../adapters/index.ts';
import type { LackedRights, TokenRights } from '../application/ports.ts';
import { plainSealer } from './plain-sealer.ts';

export interface IdentityServer {
  readonly server: HttpServer;
  readonly identity: Identity;
  readonly storage: Storage;
  readonly log: MemoryLog;
  readonly dataFolder: string;
  /** Plain HTTP on loopback. */
  readonly url: string;
  close(): Promise<void>;
}

export interface IdentityServerOptions {
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly issuers?: unknown;
  /** The rights that the maker of a token lacks; by default none. */
  readonly lackedBy?: (...asked: Parameters<TokenRights['lackedBy']>) => LackedRights;
  readonly tls?: { readonly key: string; readonly cert: string };
}

const NONE_LACKING: LackedRights = { rights: [], hidden: false };

export const ADMIN_TOKEN = 'fst_the-admin-token-of-the-tests-0123456789';
export const AS_ADMIN = { authorization: `Bearer ${ADMIN_TOKEN}` };

class MissingWorkspace extends FleetError<'WORKSPACE_NOT_FOUND'> {
  get entry() {
    return { category: 'not-found', retry: 'after-change' } as const;
  }
}

const guard = createDialGuard({
  allow: ['127.0.0.0/8', '::1'].flatMap((one) => parseIpNetwork(one) ?? []),
  own: () => [],
  setting: '',
});
/** The issuers of the tests run on this machine. */
const DIAL = { issuers: guard, named: guard };

/** The real server with the real routes of this context; every authenticated caller may do everything. */
export async function startIdentityServer(
  database: TestDatabase,
  options: IdentityServerOptions = {},
): Promise<IdentityServer> {
  const storage = await database.open([OUTBOX_MIGRATIONS, httpMigrations, IDENTITY_MIGRATIONS]);
  const dataFolder = await mkdtemp(join(tmpdir(), 'fleetshift-identity-'));
  const { clock = systemClock, sleep, issuers, tls } = options;
  const log = new MemoryLog();
  const origins: string[] = [];
  const identity = openIdentity({
    storage,
    sealer: plainSealer,
    log,
    dataFolder,
    clock,
    ...(sleep === undefined ? {} : { sleep }),
    adminToken: () => new Secret(ADMIN_TOKEN),
    dial: DIAL,
    origins: () => origins,
    ...(issuers === undefined ? {} : { issuers: { raw: issuers, readText: () => '' } }),
    tokenRightsIn: () => ({ lackedBy: async (...asked) => options.lackedBy?.(...asked) ?? NONE_LACKING }),
    requireTarget: async (_reader, name) => ({ uid: `uid-${name}`, workspace: name.split('-')[0] ?? '' }),
    requireWorkspace: async (_tx, workspace) => {
      if (workspace === 'nowhere')
        throw new MissingWorkspace('WORKSPACE_NOT_FOUND', `There is no workspace ${workspace}.`);
    },
  });
  const server = await createHttpServer(
    {
      api: { title: 'Identity', version: '1.2.3' },
      realm: 'test',
      metricsPermission: 'metrics.read',
      verifyResponses: true,
    },
    {
      routes: [...identity.routes, whoAmI],
      authenticator: identity.authenticator,
      authorizer: { allow: async () => true },
      probes: [],
      metrics: { contentType: 'text/plain', text: async () => '' },
      log,
      clock,
    },
  );
  const { port } = await server.listen({ host: '127.0.0.1', port: 0, ...(tls === undefined ? {} : { tls }) });
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  origins.push(url);
  const close = async (): Promise<void> => {
    await server.close(1_000);
    identity.close();
    await rm(dataFolder, { recursive: true, force: true });
  };
  return { server, identity, storage, log, dataFolder, url, close };
}

/** The route of contexts/access, without grants. */
const whoAmI = defineRoute({
  method: 'GET',
  path: '/v1/access/identity',
  operationId: 'resolveIdentity',
  summary: 'Who am I?',
  permission: 'access.check',
  reach: 'filtered',
  schema: { responses: { 200: IdentitySchema } },
  handler: async ({ principal }) => ok(identityOf(principal)),
});

function identityOf({ kind, id, groups = [], scope = {} }: Principal) {
  const { within } = scope;
  const roles = TOKEN_ROLES.filter((role) => scope.roles?.includes(role));
  return {
    kind,
    id,
    groups: [...groups],
    instanceAdmin: kind === 'admin',
    ...(within === undefined ? {} : { within }),
    ...(scope.roles === undefined ? {} : { roles }),
  };
}
