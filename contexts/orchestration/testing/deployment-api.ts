import assert from 'node:assert/strict';
import { type AuditEntry, type Authorizer, type HttpServer, httpMigrations, type Visibility } from '#kit/http';
import { Sealer } from '#kit/sealing';
import { contentHash, parseUuid, type Uuid } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import type { TestDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { AS_ALICE, testServer } from '../../../kit/http/testing/test-server.ts';
import { memoryKeys } from '../../../kit/sealing/testing/memory-keys.ts';
import { builtInRules } from '../adapters/built-in-rules.ts';
import { deploymentRoutes } from '../adapters/http/http-deployments.ts';
import { ORCHESTRATION_MIGRATIONS } from '../adapters/migrations.ts';
import type { VisibleSet } from '../adapters/sql/sql-deployment-reader.ts';
import { orchestrationUnitOfWork, sqlUnits } from '../adapters/sql/sql-unit-of-work.ts';
import { DeploymentService } from '../application/deployment-service.ts';
import type { UnitOfWork } from '../application/ports.ts';
import { deploymentNotFound } from '../domain/deployment/deployment-error.ts';
import type { Trigger } from '../domain/deployment/trigger.ts';
import { aPoolTarget, fixedDirectory, fixedPool } from './a-pool.ts';

/** One request and its expected result. `{etag}` and `{nextPageToken}` stand for those of the latest answer with one. */
export interface Call {
  /** `PATCH /v1/workspaces/emea/deployments/web?dryRun=true` */
  readonly call: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly want: Wanted;
}

/** Something that the pipeline or an agent does between two requests. */
export interface Meanwhile {
  readonly meanwhile: (unit: UnitOfWork, service: DeploymentService, signal: AbortSignal) => Promise<unknown>;
}

export type Step = Call | Meanwhile;

export interface Wanted {
  readonly status: number;
  /** The whole body. */
  readonly resource?: object;
  /** Some members of the body. */
  readonly has?: object;
  /** All names on the page, in order. */
  readonly names?: readonly string[];
  /** The code of the problem document, and the paths of all its faults, in order. */
  readonly problem?: { readonly code: string; readonly faults?: readonly string[] };
  readonly headers?: Readonly<Record<string, string>>;
  /** `type name in workspace` of each event of the step, and no others; absent means none. */
  readonly events?: readonly string[];
  /** The triggers that the step adds, and no others; absent means none. */
  readonly triggers?: readonly Trigger[];
}

export interface StoredEvent {
  readonly type: string;
  readonly key: string;
  readonly scope: string;
  readonly data: unknown;
}

const signal = new AbortController().signal;
const BEGIN = Date.UTC(2030, 0, 1);
const TABLES = ['deployments', 'deployment_triggers', 'deployment_targets', 'deployment_revisions', 'rollout_inbox'];

/** The time of the nth step of a scenario, counted from 1: a second passes before each. */
export function timeOf(step: number): string {
  return new Date(BEGIN + step * 1_000).toISOString();
}

/** All workspaces and targets that exist. */
const directory = fixedDirectory('/root/', '/root/emea/', '/root/emea/shop/', '/root/apac/', '/root/locked/');
const pool = fixedPool({
  '/root/emea/': [aPoolTarget('edge-1'), aPoolTarget('edge-2')],
  '/root/emea/shop/': [aPoolTarget('till')],
  '/root/apac/': [aPoolTarget('far')],
});

/** `Bearer sees.a.b` sees the subtrees of a and b; others see everything. */
const VISIBILITY: Visibility<VisibleSet> = {
  of: async ({ id }) => {
    const [sees, ...workspaces] = id.split('.');
    return sees === 'sees' ? { kind: 'some', workspaces } : { kind: 'everything' };
  },
};

/** All permissions are denied in `locked`, only `admin` may place locally, and `hidden` does not exist for any caller. */
const AUTHORIZER: Authorizer = {
  allow: async ({ params, permission, principal }) => {
    if (params['deployment'] === 'hidden') throw deploymentNotFound(params['workspace'] ?? '', 'hidden');
    if (permission === 'deployments.placeLocal') return principal.id === 'admin';
    return params['workspace'] !== 'locked';
  },
};

interface Parts {
  readonly server: HttpServer;
  readonly storage: Storage;
  readonly clock: FakeClock;
  readonly uids: { next: () => Uuid };
  readonly audit: AuditEntry[];
  readonly service: DeploymentService;
  readonly unit: (tx: Parameters<typeof orchestrationUnitOfWork>[0]) => UnitOfWork;
}

/** The real server with the real routes and stores on a real database, one scenario at a time. No pipeline runs. */
export class DeploymentApi {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  get server(): HttpServer {
    return this.#parts.server;
  }

  get audit(): AuditEntry[] {
    return this.#parts.audit;
  }

  get storage(): Storage {
    return this.#parts.storage;
  }

  static async open(database: TestDatabase): Promise<DeploymentApi> {
    const storage = await database.open([ORCHESTRATION_MIGRATIONS, OUTBOX_MIGRATIONS, httpMigrations]);
    const [clock, uids, audit] = [new FakeClock(BEGIN), { next: uidCounter() }, [] as AuditEntry[]];
    const newUid = () => uids.next();
    const unitDeps = { newId: newUid, sealer: new Sealer(memoryKeys()), pool: () => pool, workspaces: () => directory };
    const unit: Parts['unit'] = (tx) => orchestrationUnitOfWork(tx, unitDeps);
    const fingerprint = (secret: string) => `ref-${contentHash(`keyed:${secret}`).slice(-16)}`;
    const service = new DeploymentService({ newUid, rules: builtInRules(), fingerprint });
    const units = sqlUnits(storage, unitDeps);
    const routes = deploymentRoutes({
      storage,
      service,
      unit,
      units,
      visibility: VISIBILITY,
      workspaces: () => directory,
    });
    const append = async (_: unknown, entry: AuditEntry): Promise<void> => {
      audit.push(entry);
    };
    const sink = { append, note: async () => {}, refused: async () => {} };
    const { server } = await testServer(routes, { clock, authorizer: AUTHORIZER, audit: sink });
    return new DeploymentApi({ server, storage, clock, uids, audit, service, unit });
  }

  /** Starts without deployments, with the first uid. */
  async play(steps: readonly Step[]): Promise<void> {
    const { clock, uids, storage } = this.#parts;
    clock.set(BEGIN);
    uids.next = uidCounter();
    const cleared = [...TABLES, 'http_idempotency', 'outbox'].map((table) => sql`DELETE FROM ${sql.raw(table)}`);
    await storage.commit(cleared, signal);
    const latest = new Map<string, string>();
    for (const [index, step] of steps.entries()) {
      await clock.advance(1_000);
      if ('meanwhile' in step) await this.meanwhile(step);
      else await this.#call(step, `step ${index + 1}`, latest);
    }
  }

  async meanwhile(step: Meanwhile): Promise<void> {
    const { storage, unit, service } = this.#parts;
    await storage.write((tx) => step.meanwhile(unit(tx), service, signal), signal);
    await this.takeEvents();
    await this.#takeTriggers();
  }

  /** The events since the last call. */
  async takeEvents(): Promise<StoredEvent[]> {
    const rows = await this.storage.all<Readonly<Record<'type' | 'key' | 'scope' | 'data', string>>>(
      sql`SELECT type, key, scope, data FROM outbox ORDER BY id`,
      signal,
    );
    await this.storage.commit([sql`DELETE FROM outbox`], signal);
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as unknown }));
  }

  async close(): Promise<void> {
    await this.server.close(1_000);
  }

  async #call(step: Call, at: string, latest: Map<string, string>): Promise<void> {
    const answer = await this.#send(step, latest);
    const body: unknown = answer.body === '' ? undefined : JSON.parse(answer.body);
    const where = `${at}, ${step.call}: ${answer.statusCode} ${answer.body}`;
    check(step.want, { status: answer.statusCode, headers: answer.headers, body }, where);
    const events = (await this.takeEvents()).map(
      ({ type, key, scope }) => `${type} ${key.split('/').at(-1)} in ${scope}`,
    );
    assert.deepEqual(events, step.want.events ?? [], where);
    assert.deepEqual(await this.#takeTriggers(), step.want.triggers ?? [], where);
    for (const name of ['etag', 'nextPageToken']) {
      const value = (body as Record<string, unknown> | undefined)?.[name];
      if (typeof value === 'string') latest.set(`{${name}}`, value);
    }
  }

  async #takeTriggers(): Promise<Trigger[]> {
    const rows = await this.storage.all<{ body: string }>(
      sql`SELECT body FROM deployment_triggers ORDER BY id`,
      signal,
    );
    await this.storage.commit([sql`DELETE FROM deployment_triggers`], signal);
    return rows.map(({ body }) => JSON.parse(body) as Trigger);
  }

  async #send({ call, body, headers = {} }: Call, latest: ReadonlyMap<string, string>) {
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

/** Ids come from a counter, so that a test can refer to them. */
function uidCounter(): () => Uuid {
  let number = 0;
  return () => uidOf((number += 1));
}

export function uidOf(number: number): Uuid {
  return parseUuid(`00000000-0000-7000-8000-${String(number).padStart(12, '0')}`);
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
    const { items } = got.body as { items: { name?: string; target?: string }[] };
    assert.deepEqual(
      items.map(({ name, target }) => name ?? target),
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
