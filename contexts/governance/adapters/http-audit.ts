import { defineListRoute, defineRoute, ok, type Principal, type Route } from '#kit/http';
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
import type { Births, Visibility, WorkspacePaths } from './visibility.ts';

export interface AuditRoutesDeps {
  readonly storage: Storage;
  readonly visibility: Visibility;
  readonly paths: WorkspacePaths;
  readonly births: Births;
  readonly key?: HeadKey;
}

const COLLECTION = '/v1/audit';
const PERMISSION = 'audit.read';
/** A second or two of work. */
const VERIFIED_AT_ONCE = 50_000;
const tags = ['audit'];

/** `/v1/audit`: who did what, and whether that is still what was written down. */
export function auditRoutes(deps: AuditRoutesDeps): Route[] {
  const chain = new SqlChainStore(deps.storage);
  return [listRoute(deps), headsRoute(chain), verifyRoute(chain, deps.key)];
}

function listRoute({ storage, visibility, paths, births }: AuditRoutesDeps): Route {
  const reader = new SqlAuditReader(storage);
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listAudit',
    summary: 'List what was done and what was refused',
    description:
      'The newest first. Whoever may read the audit of a workspace sees what happened in it and below it, at the place where it was then.',
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
      const seen = seenBy(request.principal, { visibility, paths, births });
      const query = {
        ...exact,
        ...periodOf(from, to),
        seen,
        // One that is gone a moment after the permission was asked has nothing to show.
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
    summary: 'List the heads of the chain, day by day',
    description: 'To be kept elsewhere: with one of them, an audit log that was cut or written anew is found out.',
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
    summary: 'Look whether the audit log is what was written down',
    description: 'Some entries at a time: where `next` is there, call again with it as `after`.',
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

function seenBy(principal: Principal, deps: Omit<AuditRoutesDeps, 'storage'>): AuditQuery['seen'] {
  const { visibility, paths, births } = deps;
  const set = visibility.of(principal, PERMISSION);
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
