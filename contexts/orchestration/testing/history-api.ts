import { type AuditEntry, type Authorizer, type HttpServer, httpMigrations } from '#kit/http';
import { Sealer } from '#kit/sealing';
import { contentHash, parseUuid, type ResourceName, type Uuid } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import type { DeliveryOrder, PreviewAnswer } from '#protocol/delivery';
import type { TestDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { testServer } from '../../../kit/http/testing/test-server.ts';
import { memoryKeys } from '../../../kit/sealing/testing/memory-keys.ts';
import { builtInRules } from '../adapters/built-in-rules.ts';
import { approvalRoutes } from '../adapters/http/http-approvals.ts';
import { groupRoutes } from '../adapters/http/http-groups.ts';
import { previewRoutes } from '../adapters/http/http-previews.ts';
import { revisionRoutes } from '../adapters/http/http-revisions.ts';
import { scoreRoutes } from '../adapters/http/http-scores.ts';
import { ORCHESTRATION_MIGRATIONS } from '../adapters/migrations.ts';
import { orchestrationUnitOfWork, sqlUnits } from '../adapters/sql/sql-unit-of-work.ts';
import { DeploymentService } from '../application/deployment-service.ts';
import { GenerationSlots } from '../application/pipeline/generation/generation-slots.ts';
import type { TargetPool, UnitOfWork, Units } from '../application/ports.ts';
import { createDecide } from '../domain/rollout/machine/decide.ts';
import { aPoolTarget, fixedDirectory, fixedPool } from './a-pool.ts';

const signal = new AbortController().signal;
export const NOW = Date.UTC(2030, 0, 1);

/** Good enough for a test: the secret cannot be seen in it. */
export const fingerprint = (secret: string): string => `ref-${contentHash(`keyed:${secret}`).slice(-16)}`;

const PATHS: Readonly<Record<string, string>> = { emea: '/root/emea/', shop: '/root/emea/shop/', apac: '/root/apac/' };
const directory = fixedDirectory('/root/', ...Object.values(PATHS));

/** `Bearer sees.a.b` sees the subtrees of a and b; others see everything. */
const visibility = {
  of: async ({ id }: { readonly id: string }) => {
    const [sees, ...workspaces] = id.split('.');
    return sees === 'sees' ? ({ kind: 'some', workspaces } as const) : ({ kind: 'everything' } as const);
  },
};

const ADMIN_ONLY: readonly string[] = ['deployments.placeLocal', 'approvals.override'];

/** Only `admin` may place on the platform itself, and approve without a second person. */
const authorizer: Authorizer = {
  allow: async ({ permission, principal }) => !ADMIN_ONLY.includes(permission) || principal.id === 'admin',
};

export interface Answered {
  readonly status: number;
  // Tests know which fields to look for.
  readonly body: Readonly<Record<string, unknown>>;
}

/** The routes for revisions, approvals and previews, on a real database. No pipeline runs. */
export class HistoryApi {
  readonly storage: Storage;
  readonly server: HttpServer;
  readonly service: DeploymentService;
  readonly units: Units;
  readonly unitOf: (tx: Parameters<typeof orchestrationUnitOfWork>[0]) => UnitOfWork;
  /** The targets that exist. Tests may set their own. */
  pool: TargetPool = fixedPool({
    '/root/emea/': [aPoolTarget('edge-1'), aPoolTarget('edge-2')],
    '/root/emea/shop/': [aPoolTarget('till')],
  });
  /** The orders that agents were asked to preview, and their answer. */
  readonly looked: DeliveryOrder[] = [];
  agentSays: PreviewAnswer | undefined;
  /** Subjects that may approve in every workspace, such as `user:ann`. */
  approvers: readonly string[] = ['user:bob'];
  /** As what each change is written down. */
  readonly audit: string[] = [];

  private constructor(
    parts: Pick<HistoryApi, 'storage' | 'service' | 'units' | 'unitOf'>,
    server: (api: HistoryApi) => HttpServer,
  ) {
    ({ storage: this.storage, service: this.service, units: this.units, unitOf: this.unitOf } = parts);
    this.server = server(this);
  }

  static async open(database: TestDatabase): Promise<HistoryApi> {
    const storage = await database.open([ORCHESTRATION_MIGRATIONS, OUTBOX_MIGRATIONS, httpMigrations]);
    const rules = builtInRules();
    const newId = uidCounter();
    const sealer = new Sealer(memoryKeys());
    const opened: { api?: HistoryApi } = {};
    const here = (): HistoryApi => {
      if (opened.api === undefined) throw new TypeError('the API is not open yet');
      return opened.api;
    };
    const unitDeps = { newId, sealer, pool: () => here().pool, workspaces: () => directory };
    const unit = (tx: Parameters<typeof orchestrationUnitOfWork>[0]) => orchestrationUnitOfWork(tx, unitDeps);
    const units = sqlUnits(storage, unitDeps);
    const service = new DeploymentService({ newUid: newId, rules, fingerprint });
    const router = {
      preview: async (order: DeliveryOrder) => {
        here().looked.push(order);
        return here().agentSays;
      },
    };
    const findTarget = async (_: unknown, name: string) =>
      name.startsWith('nobody') ? undefined : { id: `${name}-uid` as never, workspacePath: '/root/emea/shop/' };
    const audit = {
      append: async (_: unknown, { operationId }: AuditEntry) => void here().audit.push(operationId),
      note: async () => {},
      refused: async () => {},
    };
    const { server } = await testServer(
      [
        ...approvalRoutes({
          approvers: {
            hasPersonBesides: async (_, requesters) => here().approvers.some((each) => !requesters.includes(each)),
          },
          storage,
          unit,
          units,
          visibility,
          workspaces: () => directory,
        }),
        ...revisionRoutes({ units, decide: createDecide(rules.gates) }),
        ...previewRoutes({ units, service, strategies: rules, fingerprint, slots: new GenerationSlots(), router }),
        ...scoreRoutes({ storage, unit, registry: rules.placements, findTarget }),
        ...groupRoutes({ units, clock: new FakeClock(NOW) }),
      ],
      { clock: new FakeClock(NOW), authorizer, audit },
    );
    opened.api = new HistoryApi({ storage, service, units, unitOf: unit }, () => server);
    return opened.api;
  }

  /** The caller is Alice by default. */
  async send(call: string, body?: object, as = 'alice'): Promise<Answered> {
    const [method = '', url = ''] = call.split(' ', 2);
    const answer = await this.server.inject({
      method,
      url,
      headers: { authorization: `Bearer ${as}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { payload: JSON.stringify(body) } : {}),
    });
    return { status: answer.statusCode, body: JSON.parse(answer.body) as Answered['body'] };
  }

  async unit<T>(body: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    return await this.storage.write((tx) => body(this.unitOf(tx)), signal);
  }

  async create(draft: object, workspace = 'emea') {
    const { name, ...rest } = draft as { name: string };
    const command = {
      workspace: workspace as ResourceName,
      name,
      draft: rest as never,
      by: 'user:ann',
      now: NOW,
      mayPlaceLocally: async () => {},
    };
    return await this.unit((unit) => this.service.create(unit, command, signal));
  }

  /** All rows of a table. */
  async rowsOf(table: string): Promise<readonly unknown[]> {
    return await this.storage.all(sql`SELECT * FROM ${sql.raw(table)} ORDER BY 1, 2`, signal);
  }

  async clear(...tables: readonly string[]): Promise<void> {
    const all = tables.length === 0 ? TABLES : tables;
    await this.storage.commit(
      all.map((table) => sql`DELETE FROM ${sql.raw(table)}`),
      signal,
    );
  }

  async close(): Promise<void> {
    await this.server.close(1_000);
  }
}

export const TABLES = [
  'deployments',
  'deployment_triggers',
  'deployment_targets',
  'deployment_revisions',
  'rollout_turns',
  'rollout_inbox',
  'approvals',
  'contents',
  'content_secrets',
  'content_secret_uses',
  'revision_contents',
  'target_scores',
  'outbox',
];

function uidCounter(): () => Uuid {
  let number = 0;
  return () => parseUuid(`00000000-0000-7000-8000-${String((number += 1)).padStart(12, '0')}`);
}
