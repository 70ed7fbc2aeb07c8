import type { Deployment } from '../../domain/deployment/deployment.ts';
import type { OrchestrationEvent } from '../../domain/deployment/deployment-event.ts';
import type { UnitOfWork } from '../ports.ts';

export interface SavedDeployment {
  readonly before: Deployment;
  /** One change after it, or the very same. */
  readonly after: Deployment;
  readonly events: readonly OrchestrationEvent[];
  readonly now: number;
}

/** Keeps what became of a deployment, and tells of it. */
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
