import { DataRoutes, type DataTickets, type SessionHub } from '#contexts/channels';
import { createDataTickets } from '#contexts/channels/adapters';
import { fleetletDnsName } from '#contexts/enrolment';
import { fleetletPaths } from '#contexts/enrolment/adapters';
import type { Sealer } from '#kit/sealing';
import type { Clock } from '#kit/std';
import type { Storage } from '#kit/storage';
import { instanceSecret } from '../instance-secret.ts';

export interface DataRoutesParts {
  readonly storage: Storage;
  readonly tickets: DataTickets;
  /** There once everybody is wired. */
  readonly hub: () => SessionHub;
  readonly session: string;
  readonly clock: Clock;
}

/** Where data channels lead: enrolment knows in which workspace a fleetlet is. */
export function dataRoutes({ storage, tickets, hub, session, clock }: DataRoutesParts): DataRoutes {
  return new DataRoutes({
    tickets,
    pathsOf: (fleetlets, signal) => storage.read((reader) => fleetletPaths(reader, fleetlets), signal),
    serverNameOf: fleetletDnsName,
    streams: hub,
    session,
    clock,
  });
}

/** The key is made once, and all processes of an instance have the same. */
export async function openDataTickets(
  deps: { readonly storage: Storage; readonly sealer: Sealer },
  signal: AbortSignal,
): Promise<DataTickets> {
  return createDataTickets(await instanceSecret(deps, 'data-tickets', signal));
}
