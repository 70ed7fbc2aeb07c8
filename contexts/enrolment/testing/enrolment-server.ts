import assert from 'node:assert/strict';
import { type Authorizer, type HttpServer, httpMigrations } from '#kit/http';
import { FleetError, parseResourceName, Secret, uuidv7 } from '#kit/std';
import { type MigrationModule, type Storage, sql, type Transaction } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import type { TestDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { MemoryLog, testServer } from '../../../kit/http/testing/test-server.ts';
import { ENROLMENT_MIGRATIONS, type Enrolment, openEnrolment } from '../adapters/index.ts';
import type { Sealer } from '../adapters/pki/certificate-authorities.ts';
import type { LiveSession, LiveSessions } from '../application/fleetlet-admission.ts';
import type { TargetRegistrar } from '../application/ports.ts';

/** A fake of the targets context, in the same transactions. */
const FAKE_TARGETS: MigrationModule = {
  module: 'faketargets',
  migrations: [
    {
      number: 1,
      name: 'targets',
      compatibleFrom: 0,
      up: `CREATE TABLE fake_targets (
        name KEYTEXT PRIMARY KEY, uid TEXT NOT NULL, type TEXT NOT NULL, workspace TEXT NOT NULL, labels TEXT NOT NULL
      );`,
    },
  ],
};

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
const LIMITS = { ttlMs: DAY, graceMs: 30 * DAY };

const signal = new AbortController().signal;
const PATHS = ['/root/', '/root/web/', '/root/emea/', '/root/emea/edge/', '/root/locked/', '/root/hidden/'];

class Missing extends FleetError<'WORKSPACE_NOT_FOUND'> {
  get entry() {
    return { category: 'not-found', retry: 'after-change' } as const;
  }
}

/** Denies everything in `locked`, and hides `hidden`. */
const AUTHORIZER: Authorizer = {
  allow: async ({ params, principal }) => {
    if (principal.id === 'root') return true;
    if (params['workspace'] === 'hidden') throw new Missing('WORKSPACE_NOT_FOUND', 'There is no workspace hidden.');
    return params['workspace'] !== 'locked';
  },
};

export interface Called {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- A test looks into answers whose shape it is about to prove.
  readonly body: any;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The caller; `undefined` for an anonymous request. */
  readonly as?: string | undefined;
  /** The expected status; any other fails the test. */
  readonly want?: number;
}

/** Fake sessions that record why they were ended. */
export class FakeSessions implements LiveSessions {
  readonly ended: { readonly fleetlet: string; readonly reason: string }[] = [];
  readonly #open: LiveSession[] = [];

  open(session: LiveSession): void {
    this.#open.push(session);
  }

  list(): readonly LiveSession[] {
    return [...this.#open];
  }

  end(fleetlet: string, { reason }: { readonly reason: string }): void {
    this.ended.push({ fleetlet, reason });
    const index = this.#open.findIndex((session) => session.fleetlet === fleetlet);
    if (index !== -1) this.#open.splice(index, 1);
  }
}

export interface EnrolmentServer {
  readonly server: HttpServer;
  readonly enrolment: Enrolment;
  readonly storage: Storage;
  readonly clock: FakeClock;
  readonly log: MemoryLog;
  call(what: string, options?: CallOptions): Promise<Called>;
  /** `type key` of each event since the last call. */
  events(): Promise<string[]>;
  close(): Promise<void>;
}

/** The real server with the real routes of this context on a real database; the neighbouring contexts are fakes. */
export async function startEnrolmentServer(
  database: TestDatabase,
  clock: FakeClock = new FakeClock(),
): Promise<EnrolmentServer> {
  const storage = await database.open([OUTBOX_MIGRATIONS, httpMigrations, ENROLMENT_MIGRATIONS, FAKE_TARGETS]);
  const log = new MemoryLog();
  const enrolment = await openEnrolment(
    {
      storage,
      sealer: plainSealer,
      log,
      clock,
      sleep: clock.sleep,
      limits: LIMITS,
      visibility: {
        of: async ({ id }) =>
          id.startsWith('sees.') ? { kind: 'some', workspaces: id.split('.').slice(1) } : { kind: 'everything' },
      },
      targets: fakeTargets,
      workspaces: () => ({
        require: async (name) => {
          const [place] = placesOf([name]);
          if (place === undefined) throw new Missing('WORKSPACE_NOT_FOUND', `There is no workspace ${name}.`);
          return place;
        },
      }),
      places: () => ({ places: async (names) => placesOf(names) }),
      targetByUid: async (uid, until) =>
        await storage.get<{ name: string; type: string }>(
          sql`SELECT name, type FROM fake_targets WHERE uid = ${uid}`,
          until,
        ),
      endpoints: (host) => ({ grpc: `${host ?? 'nowhere'}:8702` }),
      serverAuthority: () => undefined,
      targetsChanged: async () => {},
    },
    signal,
  );
  const { server } = await testServer(enrolment.routes, { clock, authorizer: AUTHORIZER });
  let position = '';
  return {
    server,
    enrolment,
    storage,
    clock,
    log,
    call: (what, options) => call(server, what, options),
    events: async () => {
      const rows = await storage.all<{ id: string; type: string; key: string }>(
        sql`SELECT id, type, key FROM outbox ORDER BY id`,
        signal,
      );
      const fresh = rows.filter(({ id }) => id > position);
      position = rows.at(-1)?.id ?? position;
      return fresh.map(({ type, key }) => `${type} ${key}`);
    },
    close: async () => {
      enrolment.close();
      await server.close(1_000);
    },
  };
}

async function call(server: HttpServer, what: string, options: CallOptions = {}): Promise<Called> {
  const { body: sent, headers = {}, want } = options;
  const as = 'as' in options ? options.as : 'alice';
  const [method = 'GET', url = '/'] = what.split(' ');
  const json = sent === undefined ? {} : { 'content-type': 'application/json' };
  const bearer = as === undefined ? {} : { authorization: `Bearer ${as}` };
  const answer = await server.inject({
    method,
    url,
    headers: { ...bearer, ...headers, ...json },
    ...(sent === undefined ? {} : { payload: JSON.stringify(sent) }),
  });
  if (want !== undefined) assert.equal(answer.statusCode, want, `${what}: ${answer.body}`);
  const body: unknown = answer.body === '' ? undefined : JSON.parse(answer.body);
  return { status: answer.statusCode, headers: answer.headers, body };
}

function placesOf(names: readonly string[]) {
  return PATHS.map((path) => ({ path, name: parseResourceName(path.split('/').at(-2) ?? '') })).filter(({ name }) =>
    names.includes(name),
  );
}

interface FakeTargetRow {
  readonly [column: string]: string;
  readonly name: string;
  readonly uid: string;
  readonly type: string;
  readonly workspace: string;
}

function fakeTargets(tx: Transaction): TargetRegistrar {
  const find: TargetRegistrar['find'] = async (name) =>
    await tx.get<FakeTargetRow>(sql`SELECT name, uid, type, workspace FROM fake_targets WHERE name = ${name}`);
  return {
    find,
    register: async ({ name, type, workspace, labels }) => {
      const uid = uuidv7();
      await tx.run(
        sql`INSERT INTO fake_targets (name, uid, type, workspace, labels) VALUES (${name}, ${uid}, ${type}, ${workspace}, ${JSON.stringify(labels)})`,
      );
      return { uid, name, type, workspace };
    },
    label: async (name, labels) => {
      await tx.run(sql`UPDATE fake_targets SET labels = ${JSON.stringify(labels)} WHERE name = ${name}`);
    },
  };
}

/** Keeps the secret readable, and opens it only in the place that it was sealed for. */
const plainSealer: Sealer = {
  seal: async (secret, place) => `${JSON.stringify(place)}:${Buffer.from(secret.reveal()).toString('base64url')}`,
  open: async (sealed, place) => {
    const prefix = `${JSON.stringify(place)}:`;
    if (!sealed.startsWith(prefix)) throw new Error('sealed for another place');
    return new Secret(Buffer.from(sealed.slice(prefix.length), 'base64url').toString('utf8'));
  },
};
