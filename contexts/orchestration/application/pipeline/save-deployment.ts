import type { Deployment } from '../../domain/deployment/deployment.ts';
import type { OrchestrationEvent } from '../../domain/deployment/deployment-event.ts';
import type { UnitOfWork } from '../ports.ts';

export interface SavedDeployment {
  readonly before: Deployment;
  /** One version after `before`, or the very same object. */
  readonly after: Deployment;
  readonly events: readonly OrchestrationEvent[];
  readonly now: number;
}

/** Stores a changed deployment, and appends its events. */
export async function saveDeployment(
  { deployments, events: sink }: Pick<UnitOfWork, 'deployments' | 'events'>,
  { before, after, events, now }: SavedDeployment,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all([
    after === before ? undefined : deployments.replace(after, signal),
    events.length > 0 ? sink.append(events, now, signal) : undefined,
  ]);
}
