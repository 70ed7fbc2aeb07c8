import assert from 'node:assert/strict';
import { type HttpServer, httpMigrations } from '#kit/http';
import { FleetError, parseResourceName } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import type { TestDatabase } from '#testing/databases';
import { AS_ALICE, testServer } from '../../../kit/http/testing/test-server.ts';
import { RESOURCE_INDEX_MIGRATIONS } from '../adapters/migrations.ts';
import { openResourceIndex, type ResourceIndex } from '../adapters/open-resource-index.ts';
import { decodeToIndexer, encodeFromIndexer } from '../adapters/wire/index-codec.ts';
import type { FromIndexer, ToIndexer } from '../domain/index-message.ts';

const signal = new AbortController().signal;

/** The only workspaces. The only targets are `web-1`, in web, and `root-1`. */
const PATHS: Readonly<Record<string, string>> = { root: '/root/', emea: '/root/emea/', web: '/root/emea/web/' };
const TARGETS = [
  { uid: 'web-1', type: 'kubernetes', path: '/root/emea/web/' },
  { uid: 'root-1', type: 'kubernetes', path: '/root/' },
];

class Missing extends FleetError<'NOT_THERE'> {
  get entry() {
    return { category: 'not-found', retry: 'never' } as const;
  }
}

/** The real routes and intake on a real database, with agents that record what they receive. */
export class IndexServer {
  readonly storage: Storage;
  readonly index: ResourceIndex;
  readonly heard: { readonly target: string; readonly message: ToIndexer | undefined }[] = [];
  readonly lost: unknown[] = [];
  readonly #server: HttpServer;
  readonly #over = new AbortController();
  readonly #running: Promise<unknown>;

  private constructor(storage: Storage, index: ResourceIndex, server: HttpServer) {
    this.storage = storage;
    this.index = index;
    this.#server = server;
    this.#running = Promise.all(index.runnables.map((each) => each.run(this.#over.signal)));
  }

  static async open(database: TestDatabase): Promise<IndexServer> {
    const storage = await database.open([RESOURCE_INDEX_MIGRATIONS, OUTBOX_MIGRATIONS, httpMigrations]);
    const made: { server?: IndexServer } = {};
    const index = openResourceIndex({
      storage,
      workspaces: () => ({
        require: async (name) => ({ name: parseResourceName(name), path: PATHS[name] ?? missing(name) }),
      }),
      existing: async (_tx, uids) => new Set(uids.filter((uid) => TARGETS.some((target) => target.uid === uid))),
      targets: async (uids) => TARGETS.filter(({ uid }) => uids.includes(uid)),
      targetUid: async (name) => TARGETS.find(({ uid }) => uid === name)?.uid ?? missing(name),
      agents: {
        send: async (target, payload) => {
          made.server?.heard.push({ target, message: decodeToIndexer(payload) });
        },
        connected: () => TARGETS.map(({ uid }) => uid),
      },
      observer: { applied: () => {}, trouble: () => {}, lost: (_target, error) => made.server?.lost.push(error) },
    });
    const { server } = await testServer([...index.routes]);
    made.server = new IndexServer(storage, index, server);
    return made.server;
  }

  /** Resolves once the message is stored. */
  async say(target: string, message: FromIndexer): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.index.take(target, encodeFromIndexer(message), resolve);
    await promise;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- A test looks into answers whose shape it is about to prove.
  async call(call: string, { body, headers = {}, want }: CallOptions = {}): Promise<any> {
    const [method = '', url = ''] = call.split(' ', 2);
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    const answer = await this.#server.inject({
      method,
      url,
      headers: { ...AS_ALICE, ...json, ...headers },
      ...payload,
    });
    if (want !== undefined) assert.equal(answer.statusCode, want, `${call}: ${answer.body}`);
    return answer.body === '' ? undefined : JSON.parse(answer.body);
  }

  /** Events since the last call. */
  async events(): Promise<readonly string[]> {
    const rows = await this.storage.all<{ type: string; key: string }>(
      sql`SELECT type, key FROM outbox ORDER BY id`,
      signal,
    );
    await this.storage.commit([sql`DELETE FROM outbox`], signal);
    return rows.map(({ type, key }) => `${type} ${key}`);
  }

  async close(): Promise<void> {
    this.index.close();
    this.#over.abort();
    await this.#running;
    await this.#server.close(1_000);
  }
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The expected status; any other fails the test. */
  readonly want?: number;
}

function missing(name: string): never {
  throw new Missing('NOT_THERE', `There is no ${name}.`);
}
