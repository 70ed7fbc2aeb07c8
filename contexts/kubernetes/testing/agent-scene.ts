import { parseUuid, sleep, systemClock, type Uuid } from '#kit/std';
import type { DeliverOrder, RemoveOrder } from '#protocol/delivery';
import type { TargetId, TargetRef } from '#protocol/targets';
import { KubernetesAgent, type KubernetesAgentDeps } from '../application/kubernetes-agent.ts';
import type { ClusterPorts } from '../application/ports.ts';
import type { KubeObject } from '../domain/kube-object.ts';
import { HeardReports } from './heard-reports.ts';

export const TARGET: TargetRef = { id: 't-1' as TargetId, name: 'one', type: 'kubernetes' };

/** The uid of the deployment with this number. */
export function deploymentUid(number = 1): Uuid {
  return parseUuid(`00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`);
}

export function map(name: string, data: object = { a: '1' }): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' }, data } as KubeObject;
}

export function policy(fields: object): object {
  return { apiVersion: 'kubernetes.fleetshift.io/v1', kind: 'DeliveryPolicy', ...fields };
}

export function order(revision: number, documents: readonly object[], its: Partial<DeliverOrder> = {}): DeliverOrder {
  return {
    kind: 'deliver',
    target: TARGET,
    deployment: deploymentUid(),
    revision,
    hash: JSON.stringify(documents),
    documents: documents as [],
    namespace: 'shop',
    healthRules: [],
    driftPolicy: 'report',
    secretPlaces: [],
    ...its,
  };
}

export function removal(revision: number, its: Partial<RemoveOrder> = {}): RemoveOrder {
  return { kind: 'remove', target: TARGET, deployment: deploymentUid(), revision, ...its };
}

export interface RunningAgent {
  readonly agent: KubernetesAgent;
  readonly heard: HeardReports;
  readonly trouble: unknown[];
  readonly stop: () => Promise<void>;
}

/** Runs an agent that serves one cluster until it is stopped or the test ends. */
export async function runAgent(
  t: { after(body: () => Promise<void>): void },
  ports: ClusterPorts,
  {
    beforeRun,
    ...change
  }: Partial<KubernetesAgentDeps> & { beforeRun?: (agent: KubernetesAgent) => Promise<unknown> } = {},
): Promise<RunningAgent> {
  const over = new AbortController();
  const heard = new HeardReports();
  const trouble: unknown[] = [];
  const onTrouble = (error: unknown): void => {
    trouble.push(error);
  };
  const agent = new KubernetesAgent({ reports: heard, sleep, clock: systemClock, onTrouble, ...change });
  await agent.add({ ...ports, target: TARGET });
  await beforeRun?.(agent);
  const running = agent.run(over.signal);
  const stop = async (): Promise<void> => {
    over.abort();
    await running;
  };
  t.after(stop);
  return { agent, heard, trouble, stop };
}
