import { BatchWriter, type BatchWriterOptions } from '#kit/std';
import type { TargetObservation } from '#protocol/delivery';
import { type StoreObservationsDeps, storeObservations } from '../../application/pipeline/store-observations.ts';
import type { Observer } from '../../application/ports.ts';

/** Stores observations as the platform does: acceptances wait for the report that follows. */
export function observationWriter(
  deps: StoreObservationsDeps,
  time: Pick<BatchWriterOptions<TargetObservation>, 'sleep' | 'now'> = {},
) {
  const writer = new BatchWriter<TargetObservation>({
    ...time,
    write: storeObservations(deps),
    onRetry: () => {},
    patience: {
      ms: 200,
      isPatient: (each) => each.about === 'handover' && each.handover.kind === 'accepted',
      keyOf: (each) => {
        const its = each.about === 'report' ? each.report : each.about === 'handover' ? each.handover : undefined;
        return its && `${its.deployment} ${its.target}`;
      },
    },
  });
  const observer: Observer = { observe: (observations, signal) => writer.add(observations, signal) };
  return { observer, run: (signal: AbortSignal) => writer.run(signal) };
}
