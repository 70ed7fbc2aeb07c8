import { DataRoutes, type DataTickets, type SessionHub } from '#contexts/channels';
import { createDataTickets } from '#contexts/channels/adapters';
import { fleetletDnsName } from '#contexts/enrolment';
import { fleetletPaths } from '#contexts/enrolment/adapters';
import type { Sealer } from '#kit/sealing';
import type { Clock } from '#kit/std';
import type { Storage } from '#kit/storage';
import { instanceSecret } from '#runtime/instance/instance-secret';

export interface DataRoutesParts {
  readonly storage: Storage;
  readonly tickets: DataTickets;
  /** Available once everything is wired. */
  readonly hub: () => SessionHub;
  readonly session: string;
  readonly clock: Clock;
}

/** Routes of data channels; enrolment knows the workspace of each fleetlet. */
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

/** The key is created once, and shared by all processes of an instance. */
export async function openDataTickets(
  deps: { readonly storage: Storage; readonly sealer: Sealer },
  signal: AbortSignal,
): Promise<DataTickets> {
  return createDataTickets(await instanceSecret(deps, 'data-tickets', signal));
}
