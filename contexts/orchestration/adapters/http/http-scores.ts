import { defineListRoute, defineRoute, mutate, ok, type Route } from '#kit/http';
import { parseResourceName, type ResourceName } from '#kit/std';
import type { Reader, Storage, Transaction } from '#kit/storage';
import { PutScoreSchema, ScoreParamsSchema, type ScoreResource, ScoreSchema, ScoresParamsSchema } from '#protocol/api';
import type { UnitOfWork } from '../../application/ports.ts';
import { reportScore, type ScoredTarget } from '../../application/scores/report-score.ts';
import { DeploymentError } from '../../domain/deployment/deployment-error.ts';
import type { PlacementRegistry } from '../../domain/placement/placement-registry.ts';
import type { ReportedScore } from '../../domain/placement/placement-strategy.ts';
import { SqlScoreReaders } from '../sql/sql-score-readers.ts';
import { scoresOf } from '../sql/sql-score-store.ts';

export interface ScoreRoutesDeps {
  readonly storage: Storage;
  readonly unit: (tx: Transaction) => UnitOfWork;
  readonly registry: PlacementRegistry;
  /** Finds a target by name, as the transaction or snapshot sees it. */
  readonly findTarget: (reader: Reader, name: ResourceName, signal: AbortSignal) => Promise<ScoredTarget | undefined>;
}

const COLLECTION = '/v1/targets/{target}/scores';
const tags = ['scores'];

/** The routes for scores, which scored placements weigh. */
export function scoreRoutes(deps: ScoreRoutesDeps): Route[] {
  return [putRoute(deps), listRoute(deps)];
}

function putRoute({ storage, unit, registry, findTarget }: ScoreRoutesDeps): Route {
  return defineRoute({
    method: 'PUT',
    path: `${COLLECTION}/{score}`,
    operationId: 'putScore',
    summary: 'Report a score of a target',
    description: 'Placements that weigh the score are resolved again.',
    tags,
    permission: 'scores.report',
    schema: { params: ScoreParamsSchema, body: PutScoreSchema, responses: { 200: ScoreSchema } },
    handler: (request) =>
      mutate(request, storage, async (tx) => {
        const { signal, params, time } = request;
        const target = found(await findTarget(tx, parseResourceName(params.target), signal), params.target);
        const score = { value: request.body.value, time };
        const command = { target, name: parseResourceName(params.score), score, registry };
        await reportScore({ ...unit(tx), readers: new SqlScoreReaders(tx) }, command, signal);
        return ok(toScoreResource({ name: params.score, ...score }));
      }),
  });
}

function listRoute({ storage, findTarget }: ScoreRoutesDeps): Route {
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listScores',
    summary: 'List the scores of a target',
    tags,
    permission: 'scores.read',
    schema: { params: ScoresParamsSchema, item: ScoreSchema },
    filter: { name: 'string', value: 'double', time: 'timestamp' },
    keyOf: ({ name }) => [name],
    read: ({ params, signal }, { after, limit }) =>
      storage.read(async (reader) => {
        const target = found(await findTarget(reader, parseResourceName(params.target), signal), params.target);
        const range = { after: after && String(after[0]), limit };
        return (await scoresOf(reader, target.id, range)).map(toScoreResource);
      }, signal),
  });
}

function found(target: ScoredTarget | undefined, name: string): ScoredTarget {
  if (target !== undefined) return target;
  throw new DeploymentError('TARGET_NOT_FOUND', `There is no target ${name}.`);
}

function toScoreResource({ name, value, time }: ReportedScore & { readonly name: string }): ScoreResource {
  return { name, value, time: new Date(time).toISOString() };
}
