import type { ConnectionChange } from '#contexts/delivery';
import { type ConnectionReport, TargetService } from '#contexts/targets';
import { targetUnitOfWork } from '#contexts/targets/adapters';
import { workspacePlaces } from '#contexts/workspaces/adapters';
import { type Clock, parseResourceName, uuidv7 } from '#kit/std';
import type { Storage } from '#kit/storage';

export interface ReportConnectionsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
}

/** Stores connection states with the targets. Reports about deleted targets are ignored. */
export function reportConnections({ storage, clock }: ReportConnectionsDeps) {
  // Reporting never registers targets, so no addon types are needed.
  const service = new TargetService({ newUid: uuidv7, addonTypes: { has: async () => false } });
  return async (changes: readonly ConnectionChange[], signal: AbortSignal): Promise<void> => {
    const reports = changes.map(({ target, isOnline, time }): ConnectionReport => {
      return { target: parseResourceName(target.name), state: isOnline ? 'Connected' : 'Disconnected', time };
    });
    await storage.write(async (tx) => {
      const unit = targetUnitOfWork(tx, { newId: uuidv7, workspaces: workspacePlaces });
      await service.reportConnections(unit, { reports, now: clock.now() }, signal);
    }, signal);
  };
}
