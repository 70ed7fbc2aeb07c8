import { defineListRoute, defineRoute, ok, PageTokens, type Route } from '#kit/http';
import { yieldIfLong } from '#kit/std';
import {
  DeploymentParamsSchema,
  RevisionDiffQuerySchema,
  RevisionDiffSchema,
  RevisionParamsSchema,
  RevisionSchema,
  RevisionSummarySchema,
  type TimelineEntryResource,
  TimelineEntrySchema,
  TimelineQuerySchema,
} from '#protocol/api';
import type { Units } from '../../application/ports.ts';
import { diffRevisions } from '../../application/revisions/diff-revisions.ts';
import { getDeployment, getRevision, planSummary } from '../../application/revisions/read-revision.ts';
import { type RolloutRecord, readRecord, storyOf } from '../../application/revisions/read-timeline.ts';
import type { Decide } from '../../domain/rollout/machine/decide.ts';
import { DEPLOYMENT_PATH, keyIn } from './deployment-requests.ts';
import { toDiffResource, toRevisionResource, toRevisionSummary, toTimelineResource } from './revision-resource.ts';

export interface RevisionRoutesDeps {
  readonly units: Pick<Units, 'read'>;
  /** The same function that the rollouts use, so that the timeline shows what really happened. */
  readonly decide: Decide;
}

const COLLECTION = `${DEPLOYMENT_PATH}/revisions`;
const ITEM = `${COLLECTION}/{revision}`;
const tags = ['deployments'];
const DIFF_PAGE = 50;

/** The routes for revisions: what was rolled out, and the outcome. */
export function revisionRoutes(deps: RevisionRoutesDeps): Route[] {
  return [listRoute(deps), getRoute(deps), diffRoute(deps), timelineRoute(deps)];
}

function listRoute({ units }: RevisionRoutesDeps): Route {
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listRevisions',
    summary: 'List the revisions of a deployment',
    description: 'Newest first. Old revisions are deleted.',
    tags,
    permission: 'deployments.read',
    schema: { params: DeploymentParamsSchema, item: RevisionSummarySchema },
    filter: {
      revision: 'int',
      generation: 'int',
      requestedBy: 'string',
      outcome: 'string',
      paced: 'bool',
      createTime: 'timestamp',
      endTime: 'timestamp',
    },
    keyShape: ['number'],
    keyOf: ({ revision }) => [revision],
    read: ({ params, signal }, { after, limit }) =>
      units.read(async (unit) => {
        const { uid } = await getDeployment(unit, keyIn(params), signal);
        const range = { deployment: uid, before: after && Number(after[0]), limit };
        return (await unit.revisions.page(range, signal)).map(toRevisionSummary);
      }, signal),
  });
}

function getRoute({ units }: RevisionRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: ITEM,
    operationId: 'getRevision',
    summary: 'Get a revision of a deployment',
    tags,
    permission: 'deployments.read',
    schema: { params: RevisionParamsSchema, responses: { 200: RevisionSchema } },
    handler: ({ params, signal }) =>
      units.read(async (unit) => {
        const deployment = await getDeployment(unit, keyIn(params), signal);
        const revision = await getRevision(unit, deployment, params.revision, signal);
        const opening = await unit.rollouts.opening({ deployment: deployment.uid, revision: params.revision }, signal);
        return ok(toRevisionResource(revision, opening && planSummary(opening)));
      }, signal),
  });
}

function diffRoute({ units }: RevisionRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: `${ITEM}:diff`,
    operationId: 'diffRevisions',
    summary: 'Compare two revisions of a deployment',
    description: 'Shows the differences in the spec and in the content of each target. Secrets are masked.',
    tags,
    permission: 'deployments.read',
    schema: { params: RevisionParamsSchema, query: RevisionDiffQuerySchema, responses: { 200: RevisionDiffSchema } },
    handler: async ({ params, query, signal }) => {
      const { pageSize = DIFF_PAGE, pageToken, ...wanted } = query;
      const tokens = new PageTokens({ operationId: 'diffRevisions', params, wanted }, ['string', 'string']);
      const after = pageToken === undefined ? undefined : tokens.decode(pageToken);
      const diff = await units.read(async (unit) => {
        const deployment = await getDeployment(unit, keyIn(params), signal);
        const command = {
          deployment,
          revision: params.revision,
          against: wanted.against,
          target: wanted.target,
          after: after && ([String(after[0]), String(after[1])] as const),
          limit: pageSize,
        };
        return await diffRevisions(unit, command, signal);
      }, signal);
      return ok(toDiffResource(diff, diff.next && tokens.encode(diff.next)));
    },
  });
}

function timelineRoute({ units, decide }: RevisionRoutesDeps): Route {
  // With a filter, one request may read the list several times; the timeline is computed once for all of them.
  const told = new WeakMap<object, Promise<readonly TimelineEntryResource[]>>();
  return defineListRoute({
    path: `${ITEM}/timeline`,
    operationId: 'listTimeline',
    summary: 'List the timeline of a rollout',
    description: 'Oldest first; with `target`, only the events of that target.',
    tags,
    permission: 'deployments.read',
    schema: { params: RevisionParamsSchema, query: TimelineQuerySchema, item: TimelineEntrySchema },
    filter: { kind: 'string', turn: 'int', time: 'timestamp', message: 'string', targets: 'list<string>' },
    keyShape: ['number', 'number'],
    keyOf: ({ turn, place }) => [turn, place],
    read: async (request, { after, limit }) => {
      const { params, query, signal } = request;
      const story =
        told.get(request) ??
        units
          .read(async (unit) => {
            const deployment = await getDeployment(unit, keyIn(params), signal);
            return await readRecord(unit, { deployment, revision: params.revision, target: query.target }, signal);
          }, signal)
          .then((record) => tell(record, decide, signal));
      told.set(request, story);
      const entries = await story;
      const [turn = -1, place = -1] = (after ?? []).map(Number);
      const from = entries.findIndex((entry) => entry.turn > turn || (entry.turn === turn && entry.place > place));
      return from === -1 ? [] : entries.slice(from, from + limit);
    },
  });
}

/** Replays the whole rollout. */
async function tell(
  record: RolloutRecord,
  decide: Decide,
  signal: AbortSignal,
): Promise<readonly TimelineEntryResource[]> {
  const entries: TimelineEntryResource[] = [];
  for (const turn of storyOf(record, decide)) {
    entries.push(...turn.map((entry) => toTimelineResource(entry, record.names)));
    await yieldIfLong();
    signal.throwIfAborted();
  }
  return entries;
}
