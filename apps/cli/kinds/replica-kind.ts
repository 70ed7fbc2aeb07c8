import { timeCell } from './cells.ts';
import { defineKind } from './kind.ts';

export const replicaKind = defineKind({
  name: 'replica',
  plural: 'replicas',
  title: 'Replica',
  summary: 'the processes of the platform, and what each leads for',
  schema: async () => (await import('#protocol/api')).ReplicaSchema,
  takes: [],
  nameOf: ({ instanceId }) => instanceId,
  columns: [
    { heading: 'INSTANCE', cell: ({ instanceId }) => instanceId },
    { heading: 'STATE', cell: ({ state }) => state },
    { heading: 'VERSION', cell: ({ version }) => version },
    { heading: 'STARTED', cell: ({ startTime }) => timeCell(startTime) },
    { heading: 'LEADS', cell: ({ leads }) => rolesCell(leads.map(({ role }) => role)) },
    { heading: 'HEARTBEAT', wide: true, cell: ({ heartbeatTime }) => timeCell(heartbeatTime) },
    { heading: 'GRPC', wide: true, cell: ({ endpoints }) => endpoints.grpc },
    { heading: 'WEBSOCKET', wide: true, cell: ({ endpoints }) => endpoints.websocket },
  ],
  list: () => ({ path: ['replicas'] }),
  onlyListed: true,
});

/** The shares of one role as a count: `executor, proxied-clusters (16)`. */
function rolesCell(roles: readonly string[]): string {
  const groups = Map.groupBy(roles, (role) => role.split('/', 1)[0] ?? role);
  return [...groups]
    .map(([group, its]) => (its.length === 1 && its[0] === group ? group : `${group} (${its.length})`))
    .join(', ');
}
