import type { ReplicaEndpoints } from '#contexts/enrolment/adapters';
import type { Leases } from '#kit/storage/leases';

/** What a replica says of itself in the registry. */
export interface ReplicaFacts {
  readonly version: string;
  readonly endpoints: ReplicaEndpoints;
}

export function printReplica(facts: ReplicaFacts): string {
  return JSON.stringify(facts);
}

/** A replica of another release may say more, or less. */
export function parseReplica(about: string): ReplicaFacts {
  const { version = '', endpoints = {} } = JSON.parse(about) as Partial<ReplicaFacts>;
  return { version, endpoints };
}

/** The endpoints of the other live replicas that take fleetlets. */
export function endpointsOfOthers({ peers }: Pick<Leases, 'peers'>): ReplicaEndpoints[] {
  return peers
    .map(({ about }) => parseReplica(about).endpoints)
    .filter(({ grpc, websocket }) => grpc !== undefined || websocket !== undefined);
}
