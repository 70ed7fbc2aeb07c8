import assert from 'node:assert/strict';
import { type AuditEntry, type Authorizer, type HttpServer, httpMigrations, type Visibility } from '#kit/http';
import type { Uuid } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import type { TestDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { AS_ALICE, testServer } from '../../../kit/http/testing/test-server.ts';
import { WORKSPACE_MIGRATIONS, workspaceRoutes } from '../adapters/index.ts';
import type { ContentsReader, MoveObserver, VisibleSet } from '../application/ports.ts';
import { workspaceNotFound } from '../domain/workspace-error.ts';
import { uidCounter } from './a-workspace.ts';

/** A request and its expected outcome. `{etag}` and `{nextPageToken}` stand for those of the latest answer with one. */
export interface Step {
  /** `PATCH /v1/workspaces/web?dryRun=true` */
  readonly call: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly want: Wanted;
}

export interface Wanted {
  readonly status: number;
  /** The whole body. */
  readonly resource?: object;
  /** For a move: the reported changes, all in order. */
  readonly changes?: readonly object[];
  /** The names on the page, all in order. */
  readonly names?: readonly string[];
  /** Members of the problem document; of the faults their paths, all in order. */
  readonly problem?: { readonly code: string; readonly faults?: readonly string[]; readonly inTheWay?: unknown };
  readonly headers?: Readonly<Record<string, string>>;
  /** `type name` of each event of the step. Left out means none. */
  readonly events?: readonly string[];
}

/** A type and not an interface, so that it is assignable to a row. */
type EventColumns = Readonly<Record<'type' | 'key' | 'scope' | 'data', string> & { time: number }>;
export type StoredEvent = Omit<EventColumns, 'data'> & { readonly data: unknown };

const signal = new AbortController().signal;
const BEGIN = Date.UTC(2030, 0, 1);

/** The time of the nth step of a scenario, from 1: a second passes before each. */
export function timeOf(step: number): string {
  return new Date(BEGIN + step * 1_000).toISOString();
}

interface Parts {
  readonly server: HttpServer;
  readonly storage: Storage;
  readonly clock: FakeClock;
  readonly uids: { next: () => Uuid };
  readonly audit: AuditEntry[];
}

/** `Bearer sees.a.b` sees the subtrees of a and b; other tokens see everything. */
const VISIBILITY: Visibility<VisibleSet> = {
  of: async ({ id }) => {
    const [sees, ...workspaces] = id.split('.');
    return sees === 'sees' ? { kind: 'some', workspaces } : { kind: 'everything' };
  },
};

/**
 * Nothing is allowed with `locked`, and `hidden` does not exist. Out of `closed` nothing moves, and out of `unseen` neither: it
 * does not exist for a caller who asks to move. What `ruled` demands is not for its callers to say, nor of what is in it.
 */
const AUTHORIZER: Authorizer = {
  allow: async ({ permission, params: { workspace = '' } }) => {
    if (workspace === 'hidden') throw workspaceNotFound(workspace);
    if (workspace === 'unseen' && permission === 'workspaces.move') throw workspaceNotFound(workspace);
    if (workspace === 'ruled' && permission === 'workspaces.setPolicy') return false;
    return workspace !== 'locked' && (workspace !== 'closed' || permission !== 'workspaces.move');
  },
};

/** Contents of another context: two lamps in `furnished`, and none elsewhere. */
const LAMPS_INSIDE: ContentsReader = {
  contentsOf: async ({ path }) =>
    path === '/root/furnished/'
      ? { kind: 'lamp', count: 2, names: ['big', 'small'] }
      : { kind: 'lamp', count: 0, names: [] },
};
const LAMPS_MOVE: MoveObserver = {
  moved: async ({ workspace, fromPath, toPath }) =>
    workspace === 'furnished'
      ? [{ kind: 'lamps', message: '2 lamps move.', from: fromPath, to: toPath, count: 2 }]
      : [],
};

/** The real server with the real routes on a real database, one scenario at a time. */
export class WorkspaceApi {
  readonly server: HttpServer;
  readonly #storage: Storage;
  readonly #clock: FakeClock;
  readonly #uids: { next: () => Uuid };
  /** The audit entries of committed and previewed changes. */
  readonly audit: AuditEntry[];

  private constructor(parts: Parts) {
    ({ server: this.server, storage: this.#storage, clock: this.#clock, uids: this.#uids, audit: this.audit } = parts);
  }

  static async open(database: TestDatabase): Promise<WorkspaceApi> {
    const storage = await database.open([WORKSPACE_MIGRATIONS, OUTBOX_MIGRATIONS, httpMigrations]);
    const [clock, uids] = [new FakeClock(BEGIN), { next: uidCounter() }];
    const routes = workspaceRoutes({
      storage,
      visibility: VISIBILITY,
      contents: [() => LAMPS_INSIDE],
      moveObservers: [() => LAMPS_MOVE],
      newUid: () => uids.next(),
    });
    const audit: AuditEntry[] = [];
    const sink = {
      append: async (_: unknown, entry: AuditEntry) => void audit.push(entry),
      note: async () => {},
      refused: async () => {},
    };
    const { server } = await testServer(routes, { clock, authorizer: AUTHORIZER, audit: sink });
    return new WorkspaceApi({ server, storage, clock, uids, audit });
  }

  /** Starts from an empty tree and the first uid. */
  async play(steps: readonly Step[]): Promise<void> {
    await this.#beginAnew();
    const latest = new Map<string, string>();
    for (const [index, step] of steps.entries()) {
      await this.#clock.advance(1_000);
      const answer = await this.#send(step, latest);
      const body: unknown = answer.body === '' ? undefined : JSON.parse(answer.body);
      const where = `step ${index + 1}, ${step.call}: ${answer.statusCode} ${answer.body}`;
      check(step.want, { status: answer.statusCode, headers: answer.headers, body }, where);
      const events = (await this.takeEvents()).map(({ type, scope }) => `${type} ${scope}`);
      assert.deepEqual(events, step.want.events ?? [], where);
      for (const name of ['etag', 'nextPageToken']) {
        const value = textIn(body, name);
        if (value !== undefined) latest.set(`{${name}}`, value);
      }
    }
  }

  /** Events since the last call. */
  async takeEvents(): Promise<StoredEvent[]> {
    const rows = await this.#storage.all<EventColumns>(
      sql`SELECT type, key, scope, time, data FROM outbox ORDER BY id`,
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
    return await this.server.inject({
      method,
      url,
      headers: sent,
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
  }

  async #beginAnew(): Promise<void> {
    this.#clock.set(BEGIN);
    this.#uids.next = uidCounter();
    await this.#storage.commit(
      [
        sql`DELETE FROM workspaces WHERE name <> ${'root'}`,
        sql`UPDATE workspaces SET labels = ${'{}'}, display_name = ${null}, policy = ${null}, generation = ${1}, version = ${1}`,
        sql`DELETE FROM http_idempotency`,
      ],
      signal,
    );
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
  if (want.changes !== undefined) assert.deepEqual((got.body as { changes: unknown }).changes, want.changes, where);
  if (want.names !== undefined) assert.deepEqual(namesIn(got.body), want.names, where);
  if (want.problem !== undefined) {
    const { faults, ...members } = want.problem;
    assert.partialDeepStrictEqual(got.body, { status, ...members }, where);
    if (faults !== undefined) assert.deepEqual(faultsIn(got.body), faults, where);
  }
}

function textIn(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : undefined;
}

function namesIn(body: unknown): unknown[] {
  return (body as { items: { name: unknown }[] }).items.map(({ name }) => name);
}

function faultsIn(body: unknown): unknown[] {
  return ((body as { faults?: { path: unknown }[] }).faults ?? []).map(({ path }) => path);
}
