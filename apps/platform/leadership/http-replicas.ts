import { defineListRoute, type Route } from '#kit/http';
import type { Leases, SeenInstance } from '#kit/storage/leases';
import { type ReplicaResource, ReplicaSchema } from '#protocol/api';
import { parseReplica } from './replicas.ts';

/** `/v1/replicas`: the processes of this platform, and what each of them leads for. */
export function replicaRoutes(leases: Pick<Leases, 'instances'>): Route[] {
  return [
    defineListRoute({
      path: '/v1/replicas',
      operationId: 'listReplicas',
      summary: 'List replicas',
      description: 'The processes that share the database, the roles they lead for, and where they take fleetlets.',
      tags: ['operations'],
      permission: 'replicas.read',
      schema: { item: ReplicaSchema },
      filter: { instanceId: 'string', state: 'string', version: 'string' },
      keyShape: ['string'],
      keyOf: ({ instanceId }) => [instanceId],
      read: async ({ signal }, { after, limit }) => {
        const all = (await leases.instances(signal)).map(toResource).sort(byId);
        const from = after === undefined ? 0 : all.findIndex(({ instanceId }) => instanceId > String(after[0]));
        return from < 0 ? [] : all.slice(from, from + limit);
      },
    }),
  ];
}

/** Ids begin with the time of the start. */
function byId(a: ReplicaResource, b: ReplicaResource): number {
  return a.instanceId < b.instanceId ? -1 : 1;
}

function toResource({ id, isAlive, since, beatAt, about, leads }: SeenInstance): ReplicaResource {
  const { version, endpoints } = parseReplica(about);
  return {
    instanceId: id,
    state: isAlive ? 'Live' : 'Lost',
    version,
    startTime: toTime(since),
    heartbeatTime: toTime(beatAt),
    endpoints,
    leads: leads.map((lease) => ({ role: lease.role, epoch: lease.epoch, sinceTime: toTime(lease.since) })),
  };
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
