import { defineRoute, mutate, ok, type Route } from '#kit/http';
import type { Clock } from '#kit/std';
import type { Storage } from '#kit/storage';
import { type InstanceResource, InstanceSchema, RestoreAcceptanceSchema } from '#protocol/api';
import { acceptIncarnation, type Incarnation, isHeld, readIncarnation } from '#runtime/instance/incarnation';
import { PlatformError } from '../platform-error.ts';
import type { Hold } from './hold.ts';

/** Works while the platform is held. */
export const ACCEPT_RESTORE = 'acceptRestore';
const tags = ['operations'];

export interface InstanceRoutesDeps {
  readonly storage: Storage;
  readonly hold: Pick<Hold, 'incarnation' | 'refresh'>;
  readonly clock: Clock;
}

/** `/v1/instance`: which incarnation of which instance this platform is. */
export function instanceRoutes({ storage, hold, clock }: InstanceRoutesDeps): Route[] {
  const get = defineRoute({
    method: 'GET',
    path: '/v1/instance',
    operationId: 'getInstance',
    summary: 'Get the instance',
    description:
      'Whether this platform was restored from a backup, and whether it is held until the restore is accepted.',
    tags,
    permission: 'instance.read',
    schema: { responses: { 200: InstanceSchema } },
    handler: async () => ok(toResource(hold.incarnation)),
  });
  const accept = defineRoute({
    method: 'POST',
    path: '/v1/instance:acceptRestore',
    operationId: ACCEPT_RESTORE,
    summary: 'Accept a restore',
    description:
      'Takes the fleet over: from now on this platform takes fleetlets, reaches clusters and rolls out. Stop the platform that it was restored from first. Refused (409) for a platform that is not held.',
    tags,
    permission: 'instance.acceptRestore',
    schema: { body: RestoreAcceptanceSchema, responses: { 200: InstanceSchema } },
    handler: async (request) => {
      const { targetsAhead = 'hold' } = request.body;
      const answer = await mutate(request, storage, async (tx) => {
        const now = await readIncarnation(tx);
        if (now === undefined || !isHeld(now)) {
          throw new PlatformError(
            'NOTHING_HELD',
            'This platform is not held: it was never restored, or its restore was accepted.',
          );
        }
        request.changes(toResource(now));
        await acceptIncarnation(tx, { targetsAhead, now: clock.now() });
        return ok(toResource((await readIncarnation(tx)) ?? now));
      });
      if (!request.dryRun) await hold.refresh(request.signal);
      return answer;
    },
  });
  return [get, accept];
}

function toResource(its: Incarnation): InstanceResource {
  const { instance, incarnation, earlier, restoredAt, accepted } = its;
  return {
    instanceId: instance,
    incarnationId: incarnation,
    earlierIncarnationIds: [...earlier],
    state: isHeld(its) ? 'Held' : 'Active',
    ...(restoredAt === undefined ? {} : { restoreTime: new Date(restoredAt).toISOString() }),
    ...(accepted === undefined
      ? {}
      : { acceptTime: new Date(accepted.time).toISOString(), targetsAhead: accepted.targetsAhead }),
  };
}
