import type { Transaction } from '#kit/storage';
import { fleetletService } from '../application/fleetlet-service.ts';
import { EMBEDDED_NAME } from '../domain/fleetlet.ts';
import { type EnrolmentUnitDeps, enrolmentUnitOfWork } from './sql/sql-unit-of-work.ts';

/** Binds targets to the fleetlet inside the platform, in the transaction of the platform code that decides it. */
export function embeddedBindings(tx: Transaction, deps: EnrolmentUnitDeps) {
  const unit = enrolmentUnitOfWork(tx, deps);
  const command = (target: string, now: number) => ({
    name: EMBEDDED_NAME,
    precondition: { check: () => {} },
    before: () => {},
    target,
    now,
  });
  return {
    bind: async (target: string, now: number, signal: AbortSignal): Promise<void> =>
      void (await fleetletService.bind(unit, command(target, now), signal)),
    unbind: async (target: string, now: number, signal: AbortSignal): Promise<void> =>
      void (await fleetletService.unbind(unit, command(target, now), signal)),
  };
}
