import { type AuditSink, type HttpServer, httpMigrations } from '#kit/http';
import { runAll } from '#kit/reconcile';
import { sleep } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import type { Logger } from '#kit/telemetry';
import type { TestDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { testServer } from '../../../kit/http/testing/test-server.ts';
import {
  auditRoutes,
  createAuditTrail,
  GOVERNANCE_MIGRATIONS,
  usageRoutes,
  type VisibleSet,
} from '../adapters/index.ts';

const signal = new AbortController().signal;

/** The tree of every test, with neighbours of emea whose names begin alike. */
export const PATHS: Readonly<Record<string, string>> = {
  root: '/root/',
  emea: '/root/emea/',
  'emea-2': '/root/emea-2/',
  emea2: '/root/emea2/',
  web: '/root/emea/web/',
  apac: '/root/apac/',
};

export interface GovernanceApi {
  readonly server: HttpServer;
  readonly storage: Storage;
  readonly sink: AuditSink;
  readonly clock: FakeClock;
  readonly logged: string[];
  /** Creation times of workspaces; others were created before everything else. */
  readonly born: Map<string, number>;
  /** Waits until this many entries are chained. */
  chained(count: number): Promise<void>;
  close(): Promise<void>;
}

/** The real routes and audit trail on a real database. `sees` limits what a caller sees; default: everything. */
export async function governanceApi(
  database: TestDatabase,
  sees: Readonly<Record<string, VisibleSet>> = {},
): Promise<GovernanceApi> {
  const storage = await database.open([GOVERNANCE_MIGRATIONS, httpMigrations]);
  const clock = new FakeClock();
  const logged: string[] = [];
  const log = memoryLogger(logged);
  const paths = { pathOf: (name: string) => PATHS[name] };
  const born = new Map<string, number>();
  const births = { bornAt: ({ name }: { readonly name: string }) => born.get(name) ?? 0 };
  const scopes = {
    scopeOf: async ({ params, resource }: { params: Readonly<Record<string, string>>; resource: string }) =>
      PATHS[params['workspace'] ?? resource.split('/')[3] ?? ''],
  };
  const visibility = { of: async ({ id }: { id: string }): Promise<VisibleSet> => sees[id] ?? { kind: 'everything' } };
  const trail = createAuditTrail({ storage, scopes, log, clock, sleep });
  const routes = [
    ...auditRoutes({ storage, visibility, paths, births }),
    ...usageRoutes({ storage, visibility, paths, births, clock }),
  ];
  const { server } = await testServer(routes, { clock, audit: trail.sink });
  const stop = new AbortController();
  const running = runAll(trail.runnables, stop.signal);
  return {
    server,
    storage,
    clock,
    logged,
    born,
    sink: trail.sink,
    chained: (count) => untilChained(storage, count),
    close: async () => {
      stop.abort();
      await running;
      await server.close(1_000);
    },
  };
}

async function untilChained(storage: Storage, count: number): Promise<void> {
  for (;;) {
    const row = await storage.get<{ n: number }>(sql`SELECT count(*) AS n FROM audit_log`, signal);
    if ((row?.n ?? 0) >= count) return;
    await sleep(5, signal);
  }
}

export function memoryLogger(lines: string[]): Logger {
  const write = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { debug: write, info: write, warn: write, error: write, child: () => memoryLogger(lines) };
}
