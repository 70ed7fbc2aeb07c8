import { defineListRoute, defineRoute, ok, type Route } from '#kit/http';
import { IndexedObjectSchema, IndexedObjectsQuerySchema, TargetIndexSchema, TargetParamsSchema } from '#protocol/api';
import type { SchemaDirectory } from '../../application/schemas/schema-directory.ts';
import type { SqlIndexReader } from '../sql/sql-index-reader.ts';
import { objectResource, targetIndexResource } from './resources.ts';

export interface TargetIndexRoutesDeps {
  readonly reader: SqlIndexReader;
  readonly directory: SchemaDirectory;
  /** Throws when there is no target of that name. */
  readonly targetUid: (name: string, signal: AbortSignal) => Promise<string>;
}

const tags = ['index'];
const permission = 'index.read';

/** `/v1/targets/{target}/index`: the indexed objects of a target. */
export function targetIndexRoutes(deps: TargetIndexRoutesDeps): Route[] {
  return [listRoute(deps), statusRoute(deps)];
}

function listRoute({ reader, targetUid }: TargetIndexRoutesDeps): Route {
  return defineListRoute({
    path: '/v1/targets/{target}/index',
    operationId: 'listIndexedObjects',
    summary: 'List the indexed objects of a target',
    description: 'The latest state reported by the agent, ordered by kind, namespace and name.',
    tags,
    permission,
    schema: { params: TargetParamsSchema, query: IndexedObjectsQuerySchema, item: IndexedObjectSchema },
    // The namespace has a query parameter, because `namespace` is a reserved word in CEL.
    filter: {
      kind: 'string',
      name: 'string',
      health: 'string',
      deployment: 'string',
      labels: 'map<string, string>',
      createTime: 'timestamp',
      updateTime: 'timestamp',
    },
    keyShape: ['string', 'string', 'string'],
    keyOf: ({ kind, namespace = '', name }) => [kind, namespace, name],
    read: async ({ params, query, time: now, signal }, { after, limit }) => {
      const target = await targetUid(params.target, signal);
      const [type, namespace, name] = after ?? [];
      const range = {
        type: query.kind,
        namespace: query.namespace,
        now,
        after: after === undefined ? undefined : ([String(type), String(namespace), String(name)] as const),
        limit,
      };
      return (await reader.objects(target, range, signal)).map(objectResource);
    },
  });
}

function statusRoute({ reader, directory, targetUid }: TargetIndexRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/targets/{target}/index-status',
    operationId: 'getTargetIndex',
    summary: 'Get the effective index schema and the index status of a target',
    description:
      'The built-in kinds, and those that the index schemas of its workspace and of the workspaces above it add.',
    tags,
    permission,
    schema: { params: TargetParamsSchema, responses: { 200: TargetIndexSchema } },
    handler: async ({ params, signal }) => {
      const target = await targetUid(params.target, signal);
      const schema = (await directory.effective([target], signal)).get(target) ?? { revision: '', kinds: [] };
      return ok(targetIndexResource(schema, await reader.reports(target, signal)));
    },
  });
}
