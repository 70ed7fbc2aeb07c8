import { defineListRoute, defineRoute, ok, type Principal, type Route, type Visibility } from '#kit/http';
import type { Storage } from '#kit/storage';
import {
  AuditEntrySchema,
  AuditHeadsSchema,
  AuditListQuerySchema,
  AuditVerificationSchema,
  VerifyAuditSchema,
} from '#protocol/api';
import type { ChainReader, HeadKey } from '../application/ports.ts';
import { verifyAudit } from '../application/verify-audit.ts';
import { GovernanceError } from '../domain/governance-error.ts';
import { toAuditResource, toVerificationResource } from './audit-resource.ts';
import { type AuditQuery, SqlAuditReader } from './sql-audit-reader.ts';
import { SqlChainStore } from './sql-chain-store.ts';
import type { Births, VisibleSet, WorkspacePaths } from './visibility.ts';

export interface AuditRoutesDeps {
  readonly storage: Storage;
  readonly visibility: Visibility<VisibleSet>;
  readonly paths: WorkspacePaths;
  readonly births: Births;
  readonly key?: HeadKey;
}

const COLLECTION = '/v1/audit';
const PERMISSION = 'audit.read';
/** One or two seconds of work. */
const VERIFIED_AT_ONCE = 50_000;
const tags = ['audit'];

/** `/v1/audit`: the audit log, and its verification. */
export function auditRoutes(deps: AuditRoutesDeps): Route[] {
  const chain = new SqlChainStore(deps.storage);
  return [listRoute(deps), headsRoute(chain), verifyRoute(chain, deps.key)];
}

function listRoute({ storage, visibility, paths, births }: AuditRoutesDeps): Route {
  const reader = new SqlAuditReader(storage);
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listAudit',
    summary: 'List audit entries',
    description:
      'Changes and refused requests, newest first. A caller who may read the audit log of a workspace sees the entries of that workspace and those below it, by their place in the tree at that time.',
    tags,
    permission: PERMISSION,
    reach: 'filtered',
    schema: { query: AuditListQuerySchema, item: AuditEntrySchema },
    filter: {
      uid: 'string',
      time: 'timestamp',
      operation: 'string',
      method: 'string',
      resource: 'string',
      workspace: 'string',
      principal: { kind: 'string', id: 'string' },
      address: 'string',
      outcome: 'string',
      count: 'int',
    },
    keyOf: ({ uid }) => [uid],
    read: async (request, { after, limit }) => {
      const { workspace, from, to, ...exact } = request.query;
      if (workspace !== undefined) await request.authorize(PERMISSION, { workspace });
      const seen = await seenBy(request.principal, { visibility, paths, births }, request.signal);
      const query = {
        ...exact,
        ...periodOf(from, to),
        seen,
        // A workspace deleted just after the permission check has nothing to show.
        path: workspace === undefined ? undefined : (paths.pathOf(workspace) ?? '//'),
        before: after === undefined ? undefined : String(after[0]),
        limit,
      };
      return (await reader.list(query, request.signal)).map((chained) => toAuditResource(chained, seen === undefined));
    },
  });
}

function headsRoute(chain: ChainReader): Route {
  return defineRoute({
    method: 'GET',
    path: `${COLLECTION}/heads`,
    operationId: 'listAuditHeads',
    summary: 'List the daily heads of the audit chain',
    description: 'Keep them elsewhere: with any of them, a truncated or rewritten audit log is detected.',
    tags,
    permission: PERMISSION,
    schema: { responses: { 200: AuditHeadsSchema } },
    handler: async ({ signal }) => ok({ items: await chain.days(signal) }),
  });
}

function verifyRoute(chain: ChainReader, key: HeadKey | undefined): Route {
  return defineRoute({
    method: 'POST',
    path: `${COLLECTION}:verify`,
    operationId: 'verifyAudit',
    summary: 'Verify the integrity of the audit log',
    description:
      'Checks a limited number of entries per call: if the answer has `next`, call again with it as `after`.',
    tags,
    permission: PERMISSION,
    readOnly: true,
    schema: { body: VerifyAuditSchema, responses: { 200: AuditVerificationSchema } },
    handler: async ({ body: { after, expectedHead }, signal }) => {
      const request = { after, expected: expectedHead, key, limit: VERIFIED_AT_ONCE };
      return ok(toVerificationResource(await verifyAudit(chain, request, signal)));
    },
  });
}

async function seenBy(
  principal: Principal,
  deps: Omit<AuditRoutesDeps, 'storage'>,
  signal: AbortSignal,
): Promise<AuditQuery['seen']> {
  const { visibility, paths, births } = deps;
  const set = await visibility.of(principal, PERMISSION, signal);
  if (set.kind === 'everything') return undefined;
  return {
    paths: set.workspaces.flatMap((name) => {
      const [path, since] = [paths.pathOf(name), births.bornAt({ kind: 'workspace', name })];
      return path === undefined || since === undefined ? [] : [{ path, since }];
    }),
    resources: set.targets.flatMap((name) => {
      const since = births.bornAt({ kind: 'target', name });
      return since === undefined ? [] : [{ resource: `/v1/targets/${name}`, since }];
    }),
  };
}

function periodOf(first: string | undefined, end: string | undefined): Pick<AuditQuery, 'from' | 'to'> {
  const [from, to] = [timeOf(first), timeOf(end)];
  if (from === undefined || to === undefined || from < to) return { from, to };
  const message = 'must be later than from';
  throw new GovernanceError('INVALID_PERIOD', `The end of the period ${message}. Correct it and try again.`, {
    faults: [{ path: 'query/to', message }],
  });
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
