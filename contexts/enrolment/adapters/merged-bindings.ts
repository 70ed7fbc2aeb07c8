import type { Transaction } from '#kit/storage';
import { fleetletService } from '../application/fleetlet-service.ts';
import { type EnrolmentUnitDeps, enrolmentUnitOfWork } from './sql/sql-unit-of-work.ts';

/**
 * Binds the fleetlets of a target to the one that it is merged into, in the transaction of the merge: each may serve that
 * one from then on. As for any binding, the target has to be in the workspace of the fleetlet or below.
 */
export function mergedBindings(tx: Transaction, deps: EnrolmentUnitDeps) {
  const unit = enrolmentUnitOfWork(tx, deps);
  return {
    merged: async (
      { uid, into, now }: { readonly uid: string; readonly into: string; readonly now: number },
      signal: AbortSignal,
    ): Promise<void> => {
      const any = { precondition: { check: () => {} }, before: () => {} };
      for (const { name, state } of await unit.bindings.fleetletsOf(uid, signal)) {
        if (state !== 'Revoked') await fleetletService.bind(unit, { ...any, name, target: into, now }, signal);
      }
    },
  };
}
