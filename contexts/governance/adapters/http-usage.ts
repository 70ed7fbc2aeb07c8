import { defineListRoute, type Principal, type Route, type Visibility } from '#kit/http';
import { type Clock, systemClock } from '#kit/std';
import type { Storage } from '#kit/storage';
import { UsageQuerySchema, UsageSchema } from '#protocol/api';
import { dayOf, daysBefore } from '../domain/day.ts';
import { GovernanceError } from '../domain/governance-error.ts';
import { type Place, SqlUsageReader } from './sql-usage-reader.ts';
import type { Births, VisibleSet, WorkspacePaths } from './visibility.ts';

export interface UsageRoutesDeps {
  readonly storage: Storage;
  readonly visibility: Visibility<VisibleSet>;
  readonly paths: WorkspacePaths;
  readonly births: Births;
  readonly clock?: Clock;
}

const PERMISSION = 'usage.read';
const DAYS = 30;

/** `/v1/usage`: usage by workspace and day. */
export function usageRoutes(deps: UsageRoutesDeps): Route[] {
  const { storage, clock = systemClock } = deps;
  const reader = new SqlUsageReader(storage);
  return [
    defineListRoute({
      path: '/v1/usage',
      operationId: 'listUsage',
      summary: 'List usage',
      description:
        'By day and workspace. Usage counts at the place of the workspace on that day, and is written every few seconds.',
      tags: ['usage'],
      permission: PERMISSION,
      reach: 'filtered',
      schema: { query: UsageQuerySchema, item: UsageSchema },
      filter: {
        workspace: 'string',
        day: 'string',
        targets: 'int',
        deliveries: 'int',
        indexRows: 'int',
        tunnelBytes: 'int',
      },
      keyShape: ['string', 'string'],
      keyOf: ({ day, workspace }) => [day, workspace],
      read: async (request, { after, limit }) => {
        const { signal } = request;
        const { workspace, subtree = false } = request.query;
        const period = periodOf(request.query, clock.now());
        if (workspace !== undefined) await request.authorize(PERMISSION, { workspace });
        if (workspace === undefined && subtree) throw subtreeOfWhat();
        const place = workspace === undefined ? undefined : placeOf(workspace, deps);
        if (workspace !== undefined && place === undefined) return [];
        const [day, name] = (after ?? []).map(String);
        if (subtree && place !== undefined) {
          return await reader.bySubtree({ ...period, top: place, after: day, limit }, signal);
        }
        const seen = await seenBy(request.principal, deps, signal);
        const last = day === undefined || name === undefined ? undefined : { day, workspace: name };
        return await reader.byWorkspace({ ...period, seen, workspace: place, after: last, limit }, signal);
      },
    }),
  ];
}

/** `undefined`: everything. */
async function seenBy(
  principal: Principal,
  deps: UsageRoutesDeps,
  signal: AbortSignal,
): Promise<readonly Place[] | undefined> {
  const set = await deps.visibility.of(principal, PERMISSION, signal);
  if (set.kind === 'everything') return undefined;
  return set.workspaces.map((name) => placeOf(name, deps)).filter((place) => place !== undefined);
}

/** `undefined` when there is no workspace of that name. */
function placeOf(name: string, { paths, births }: UsageRoutesDeps): Place | undefined {
  const [path, since] = [paths.pathOf(name), births.bornAt({ kind: 'workspace', name })];
  return path === undefined || since === undefined ? undefined : { name, path, since };
}

interface Period {
  readonly from?: string;
  readonly to?: string;
}

function periodOf({ from, to }: Period, now: number): Required<Period> {
  const period = { from: from ?? daysBefore(now, DAYS), to: to ?? dayOf(now) };
  if (period.from <= period.to) return period;
  const message = 'must not be after to';
  throw new GovernanceError('INVALID_PERIOD', `The first day of the period ${message}. Correct it and try again.`, {
    faults: [{ path: 'query/from', message }],
  });
}

function subtreeOfWhat(): GovernanceError {
  const message = 'needs a workspace, whose subtree it is';
  return new GovernanceError('SUBTREE_OF_NOTHING', `The parameter subtree ${message}. Add one.`, {
    faults: [{ path: 'query/subtree', message }],
  });
}
