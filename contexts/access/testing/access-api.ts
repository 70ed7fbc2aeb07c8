import assert from 'node:assert/strict';
import { type HttpServer, httpMigrations, type Principal } from '#kit/http';
import { type Catalogue, FleetError, parseUuid, type Uuid } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import type { TestDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { testServer } from '../../../kit/http/testing/test-server.ts';
import {
  ACCESS_MIGRATIONS,
  accessRoutes,
  authorizerOf,
  type GrantDropper,
  grantDropper,
  IndexedDecisions,
} from '../adapters/index.ts';
import type { AdminCredentials, NotFoundErrors, ResourceReader } from '../application/ports.ts';
import { AccessIndex } from '../domain/access-index.ts';

/** One request and its expected outcome. `{etag}` and `{nextPageToken}` stand for the latest ones returned. */
export interface Step {
  /** One of `CALLERS`. */
  readonly as: string;
  /** `POST /v1/workspaces/web/grants?dryRun=true` */
  readonly call: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly want: Wanted;
}

export interface Wanted {
  readonly status: number;
  /** The whole body. */
  readonly body?: object;
  /** A subset of the body's members. */
  readonly part?: object;
  /** The names on the page, complete and in order. */
  readonly names?: readonly string[];
  readonly code?: string;
  /** The paths of the faults, complete and in order. */
  readonly faults?: readonly string[];
  /** `type scope` of each event that the step emits, complete; omitted means no events. */
  readonly events?: readonly string[];
}

/** A scenario that must have the same outcome on every database. */
export interface Scenario {
  readonly why: string;
  /** Whether an admin could sign in without a grant; true by default. */
  readonly lastResort?: boolean;
  readonly steps: readonly Step[];
}

/** Keyed by token. Callers have only the rights that the scenario grants; `admin` needs no grants. */
export const CALLERS: Readonly<Record<string, Principal>> = {
  admin: { kind: 'admin', id: 'admin' },
  adminInWeb: { kind: 'admin', id: 'admin', scope: { within: 'workspaces/web' } },
  adminAsAdmin: { kind: 'admin', id: 'admin', scope: { roles: ['admin'] } },
  adminAsViewer: { kind: 'admin', id: 'admin', scope: { roles: ['viewer'] } },
  alice: { kind: 'user', id: 'alice', groups: ['ops'] },
  aliceInWeb: { kind: 'user', id: 'alice', groups: ['ops'], scope: { within: 'workspaces/web' } },
  bob: { kind: 'user', id: 'bob' },
  bot: { kind: 'serviceAccount', id: 'bot' },
  fleetlet: { kind: 'fleetlet', id: 'f1' },
};

/** `root` contains `emea` and `apac`; `emea` contains `web`. Each has a target named after it. */
const TREE = { root: undefined, emea: 'root', web: 'emea', apac: 'root' } as const;

const WORDS = { NO_SUCH: { category: 'not-found', retry: 'after-change' } } as const satisfies Catalogue;
class NoSuch extends FleetError<'NO_SUCH'> {
  get entry() {
    return WORDS[this.code];
  }
}

export const NOT_FOUND: NotFoundErrors = {
  workspace: (name) => new NoSuch('NO_SUCH', `There is no workspace ${name}.`),
  target: (name) => new NoSuch('NO_SUCH', `There is no target ${name}.`),
};

const signal = new AbortController().signal;
const BEGIN = Date.UTC(2030, 0, 1);

export function uidOf(number: number): Uuid {
  return parseUuid(`00000000-0000-7000-8000-${String(number).padStart(12, '0')}`);
}

/** Puts a tree into the index only, as the contexts that own it would. */
export function plantTree(index: AccessIndex): void {
  for (const [nth, [name, parent]] of Object.entries(TREE).entries()) {
    index.apply({ kind: 'workspace', name, uid: uidOf(nth + 1), generation: 1, parent });
    const [uid, target] = [uidOf(nth + 101), `${name}-1`];
    index.apply({ kind: 'target', name: target, uid, generation: 1, workspace: name });
  }
}

export function resourcesOf(index: AccessIndex): ResourceReader {
  return {
    find: async (resource) => {
      const [own, above] = index.lineageOf(resource);
      return own && { uid: own.uid, workspace: own.kind === 'workspace' ? own.name : (above?.name ?? '') };
    },
  };
}

/** The real server with the real routes on a real database; one instance per scenario. */
export class AccessApi {
  readonly storage: Storage;
  readonly #clock = new FakeClock(BEGIN);
  #server: HttpServer | undefined;
  #index = new AccessIndex();
  #lastResort = true;
  #uids = 1_000;

  private constructor(storage: Storage) {
    this.storage = storage;
  }

  static async open(database: TestDatabase): Promise<AccessApi> {
    return new AccessApi(await database.open([ACCESS_MIGRATIONS, OUTBOX_MIGRATIONS, httpMigrations]));
  }

  get index(): AccessIndex {
    return this.#index;
  }

  get server(): HttpServer {
    return this.#server ?? assert.fail('nothing was played yet');
  }

  get dropper(): GrantDropper {
    return grantDropper({ ...this.#shared(), index: this.#index, newUid: () => this.#newUid() });
  }

  async play({ lastResort = true, steps }: Omit<Scenario, 'why'>): Promise<void> {
    await this.#beginAnew(lastResort);
    const latest = new Map<string, string>();
    for (const [nth, step] of steps.entries()) {
      await this.#clock.advance(1_000);
      const answer = await this.#send(step, latest);
      const body: unknown = answer.body === '' ? undefined : JSON.parse(answer.body);
      const where = `step ${nth + 1}, ${step.as}: ${step.call}: ${answer.statusCode} ${answer.body}`;
      check(step.want, { status: answer.statusCode, body }, where);
      const events = (await this.takeEvents()).map(({ type, scope }) => `${type} ${scope}`);
      assert.deepEqual(events, step.want.events ?? [], where);
      for (const name of ['etag', 'nextPageToken']) {
        const value: unknown = (body as Record<string, unknown> | undefined)?.[name];
        if (typeof value === 'string') latest.set(`{${name}}`, value);
      }
    }
  }

  /** The events since the last call. */
  async takeEvents(): Promise<{ type: string; key: string; scope: string; data: unknown }[]> {
    const rows = await this.storage.all<{ type: string; key: string; scope: string; data: string }>(
      sql`SELECT type, key, scope, data FROM outbox ORDER BY id`,
      signal,
    );
    await this.storage.commit([sql`DELETE FROM outbox`], signal);
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as unknown }));
  }

  async close(): Promise<void> {
    await this.#server?.close(1_000);
  }

  async #send({ as, call, body, headers = {} }: Step, latest: ReadonlyMap<string, string>) {
    const filled = (text: string) => text.replaceAll(/\{\w+\}/g, (hole) => latest.get(hole) ?? hole);
    const [method = '', url = ''] = filled(call).split(' ', 2);
    const sent: Record<string, string> = { authorization: `Bearer ${as}` };
    if (body !== undefined) sent['content-type'] = 'application/json';
    for (const [name, value] of Object.entries(headers)) sent[name] = filled(value);
    const payload = body === undefined ? {} : { payload: filled(JSON.stringify(body)) };
    return await this.server.inject({ method, url, headers: sent, ...payload });
  }

  #shared() {
    const admins: AdminCredentials = { remain: async () => this.#lastResort };
    return { admins, resourcesIn: () => resourcesOf(this.#index) };
  }

  #newUid(): Uuid {
    return uidOf((this.#uids += 1));
  }

  async #beginAnew(lastResort: boolean): Promise<void> {
    await this.close();
    this.#lastResort = lastResort;
    this.#index = new AccessIndex();
    this.#clock.set(BEGIN);
    this.#uids = 1_000;
    plantTree(this.#index);
    const wipe = ['access_grants', 'access_permission_schemas', 'http_idempotency', 'outbox'];
    await this.storage.commit(
      wipe.map((table) => sql`DELETE FROM ${sql.raw(table)}`),
      signal,
    );
    const [storage, index] = [this.storage, this.#index];
    const routes = accessRoutes({
      storage,
      index,
      decisions: new IndexedDecisions(index),
      notFound: NOT_FOUND,
      newUid: () => this.#newUid(),
      ...this.#shared(),
    });
    const { server } = await testServer(routes, {
      clock: this.#clock,
      authorizer: authorizerOf(new IndexedDecisions(index), NOT_FOUND),
      authenticator: { authenticate: async ({ bearer }) => CALLERS[bearer ?? ''] },
    });
    this.#server = server;
  }
}

function check(want: Wanted, got: { status: number; body: unknown }, where: string): void {
  assert.equal(got.status, want.status, where);
  if (want.body !== undefined) assert.deepEqual(got.body, want.body, where);
  if (want.part !== undefined) assert.partialDeepStrictEqual(got.body, want.part, where);
  const {
    code,
    faults = [],
    items = [],
  } = (got.body ?? {}) as {
    readonly code?: string;
    readonly faults?: readonly { readonly path: string }[];
    readonly items?: readonly { readonly name: string }[];
  };
  if (want.code !== undefined) assert.equal(code, want.code, where);
  const places = faults.map(({ path }) => path);
  if (want.faults !== undefined) assert.deepEqual(places, want.faults, where);
  const names = items.map(({ name }) => name);
  if (want.names !== undefined) assert.deepEqual(names, want.names, where);
}
