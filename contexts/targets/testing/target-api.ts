import assert from 'node:assert/strict';
import { type AuditEntry, type Authorizer, type HttpServer, httpMigrations, type Visibility } from '#kit/http';
import type { Uuid } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import type { TestDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { AS_ALICE, testServer } from '../../../kit/http/testing/test-server.ts';
import { TARGET_MIGRATIONS, targetRoutes } from '../adapters/index.ts';
import type { VisibleSet } from '../application/ports.ts';
import { TargetError, targetNotFound } from '../domain/target-error.ts';
import { fixedWorkspaces, uidCounter } from './a-target.ts';

/** A request and its expected outcome. `{etag}` and `{nextPageToken}` stand for those of the latest answer with one. */
export interface Step {
  /** `PATCH /v1/targets/prod-1?dryRun=true` */
  readonly call: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly want: Wanted;
}

export interface Wanted {
  readonly status: number;
  /** The whole body. */
  readonly resource?: object;
  /** Members of the body. */
  readonly has?: object;
  /** The names on the page, all in order. */
  readonly names?: readonly string[];
  /** The code of the problem document, and the paths of its faults, all in order. */
  readonly problem?: { readonly code: string; readonly faults?: readonly string[] };
  readonly headers?: Readonly<Record<string, string>>;
  /** `type name in workspace` of each event of the step. Left out means none. */
  readonly events?: readonly string[];
}

export interface StoredEvent {
  readonly type: string;
  readonly key: string;
  readonly scope: string;
  readonly data: unknown;
}

const signal = new AbortController().signal;
const BEGIN = Date.UTC(2030, 0, 1);

/** The time of the nth step of a scenario, from 1: a second passes before each. */
export function timeOf(step: number): string {
  return new Date(BEGIN + step * 1_000).toISOString();
}

/** The only workspaces. */
const WORKSPACES = fixedWorkspaces(
  '/root/',
  '/root/emea/',
  '/root/emea/web/',
  '/root/apac/',
  '/root/locked/',
  '/root/closed/',
);

/** `Bearer sees.a.b` sees the subtrees of a and b, `Bearer sees.a.-.t` also the target t; other tokens see everything. */
const VISIBILITY: Visibility<VisibleSet> = {
  of: async ({ id }) => {
    const [sees, ...names] = id.split('.');
    if (sees !== 'sees') return { kind: 'everything' };
    const dash = names.includes('-') ? names.indexOf('-') : names.length;
    return { kind: 'some', workspaces: names.slice(0, dash), targets: names.slice(dash + 1) };
  },
};

/**
 * Nothing is allowed in `locked`, nor an assignment out of `closed`. The workspace `hidden` and the target `hidden` do not
 * exist for any caller.
 */
const AUTHORIZER: Authorizer = {
  allow: async ({ permission, params }) => {
    if (params['workspace'] === 'closed' && permission === 'targets.assign') return false;
    if (params['target'] === 'hidden') throw targetNotFound('hidden');
    if (params['workspace'] === 'hidden') throw new TargetError('NO_SUCH_WORKSPACE', 'There is no workspace hidden.');
    return params['workspace'] !== 'locked';
  },
};

interface Parts {
  readonly server: HttpServer;
  readonly storage: Storage;
  readonly clock: FakeClock;
  readonly uids: { next: () => Uuid };
  readonly audit: AuditEntry[];
}

/** The real server with the real routes on a real database, one scenario at a time. */
export class TargetApi {
  readonly server: HttpServer;
  readonly audit: AuditEntry[];
  readonly #storage: Storage;
  readonly #clock: FakeClock;
  readonly #uids: { next: () => Uuid };

  private constructor(parts: Parts) {
    ({ server: this.server, storage: this.#storage, clock: this.#clock, uids: this.#uids, audit: this.audit } = parts);
  }

  static async open(database: TestDatabase): Promise<TargetApi> {
    const storage = await database.open([TARGET_MIGRATIONS, OUTBOX_MIGRATIONS, httpMigrations]);
    const [clock, uids] = [new FakeClock(BEGIN), { next: uidCounter() }];
    const routes = targetRoutes({
      storage,
      visibility: VISIBILITY,
      workspaces: () => WORKSPACES,
      addonTypes: { has: async (type) => type === 'thanos' },
      newUid: () => uids.next(),
    });
    const audit: AuditEntry[] = [];
    const append = async (_: unknown, entry: AuditEntry): Promise<void> => {
      audit.push(entry);
    };
    const sink = { append, note: async () => {}, refused: async () => {} };
    const { server } = await testServer(routes, { clock, authorizer: AUTHORIZER, audit: sink });
    return new TargetApi({ server, storage, clock, uids, audit });
  }

  /** Starts without targets and from the first uid. */
  async play(steps: readonly Step[]): Promise<void> {
    this.#clock.set(BEGIN);
    this.#uids.next = uidCounter();
    await this.#storage.commit([sql`DELETE FROM targets`, sql`DELETE FROM http_idempotency`], signal);
    const latest = new Map<string, string>();
    for (const [index, step] of steps.entries()) {
      await this.#clock.advance(1_000);
      const answer = await this.#send(step, latest);
      const body: unknown = answer.body === '' ? undefined : JSON.parse(answer.body);
      const where = `step ${index + 1}, ${step.call}: ${answer.statusCode} ${answer.body}`;
      check(step.want, { status: answer.statusCode, headers: answer.headers, body }, where);
      const events = (await this.takeEvents()).map(({ type, key, scope }) => `${type} ${key.slice(8)} in ${scope}`);
      assert.deepEqual(events, step.want.events ?? [], where);
      for (const name of ['etag', 'nextPageToken']) {
        const value = (body as Record<string, unknown> | undefined)?.[name];
        if (typeof value === 'string') latest.set(`{${name}}`, value);
      }
    }
  }

  /** Events since the last call. */
  async takeEvents(): Promise<StoredEvent[]> {
    const rows = await this.#storage.all<Readonly<Record<'type' | 'key' | 'scope' | 'data', string>>>(
      sql`SELECT type, key, scope, data FROM outbox ORDER BY id`,
      signal,
    );
    await this.#storage.commit([sql`DELETE FROM outbox`], signal);
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as unknown }));
  }

  async close(): Promise<void> {
    await this.server.close(1_000);
  }

  async #send({ call, body, headers = {} }: Step, latest: ReadonlyMap<string, string>) {
    const filled = (text: string) =>
      text.replaceAll(/\{\w+\}/g, (placeholder) => latest.get(placeholder) ?? placeholder);
    const [method = '', url = ''] = filled(call).split(' ', 2);
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent: Record<string, string> = { ...AS_ALICE, ...json };
    for (const [name, value] of Object.entries(headers)) sent[name] = filled(value);
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    return await this.server.inject({ method, url, headers: sent, ...payload });
  }
}

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

function check({ status, headers = {}, ...want }: Wanted, got: Received, where: string): void {
  assert.equal(got.status, status, where);
  for (const [name, value] of Object.entries(headers)) assert.equal(got.headers[name], value, where);
  if (want.resource !== undefined) assert.deepEqual(got.body, want.resource, where);
  if (want.has !== undefined) assert.partialDeepStrictEqual(got.body, want.has, where);
  if (want.names !== undefined) {
    const { items } = got.body as { items: { name: string }[] };
    assert.deepEqual(
      items.map(({ name }) => name),
      want.names,
      where,
    );
  }
  if (want.problem !== undefined) {
    const { code, faults = [] } = got.body as { code: string; faults?: { path: string }[] };
    assert.equal(code, want.problem.code, where);
    if (want.problem.faults !== undefined) {
      assert.deepEqual(
        faults.map(({ path }) => path),
        want.problem.faults,
        where,
      );
    }
  }
}
