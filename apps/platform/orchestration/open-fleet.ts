import type { AgentRegistry } from '#contexts/delivery';
import { StatusIntake } from '#contexts/delivery/adapters';
import type { AddonTypes } from '#contexts/targets';
import type { WorkflowClient } from '#kit/durable';
import type { Route } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import type { Sealer } from '#kit/sealing';
import { sleep, systemClock } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { EventLog } from '#kit/storage/outbox';
import type { Logger, Metrics } from '#kit/telemetry';
import { instanceSecret } from '#runtime/instance/instance-secret';
import type { PlatformApi } from '../delivery/administrator-api.ts';
import { type Delivery, openDelivery } from '../delivery/open-delivery.ts';
import type { WorkflowSet } from '../durable/workflow-set.ts';
import { EXECUTOR, type Leadership, writerAsLeader } from '../leadership/leadership.ts';
import type { Purge } from '../maintenance.ts';
import type { Hold } from '../restore/hold.ts';
import { connectLocal } from './connect-local.ts';
import type { DeploymentsInTree } from './deployments-in-tree.ts';
import { openOrchestration, type Seen } from './open-orchestration.ts';

export interface OpenFleetDeps {
  readonly storage: Storage;
  readonly events: EventLog;
  readonly sealer: Sealer;
  readonly dataFolder: string;
  readonly demoFleet: number;
  readonly leadership: Leadership;
  readonly hold: Pick<Hold, 'followsSince' | 'incarnation'>;
  /** For the demo; used once everything runs. */
  readonly api: PlatformApi;
  readonly metrics: Metrics;
  /** Counts an order that an agent accepted, for the usage of the workspace. */
  readonly delivered: (workspace: string) => void;
  readonly log: Logger;
}

/** Deployments, and the targets that they are deployed to. */
export interface Fleet {
  readonly tree: DeploymentsInTree;
  readonly addonTypes: AddonTypes;
  /** Agents register here. */
  readonly agents: AgentRegistry;
  /** The way of everything that the platform learns about targets. */
  readonly intake: Pick<StatusIntake, 'receive' | 'observe'>;
  readonly connectionChanged: Delivery['connectionChanged'];
  readonly workflows: WorkflowSet;
  readonly routes: (seen: Seen) => readonly Route[];
  readonly runnables: (client: WorkflowClient) => readonly Runnable[];
  readonly purges: readonly Purge[];
}

/** Connects deployments and agents: reports go to the deployments, orders to the agents. */
export async function openFleet(deps: OpenFleetDeps, signal: AbortSignal): Promise<Fleet> {
  const { storage, sealer, metrics, log, leadership, hold, delivered } = deps;
  const fingerprintKey = await instanceSecret({ storage, sealer }, 'content-fingerprints', signal);
  const { tree, store, storeIn, connect } = openOrchestration({
    storage,
    leading: leadership.fenced(EXECUTOR),
    sealer,
    fingerprintKey,
    clock: systemClock,
    followsSince: () => hold.followsSince(),
    metrics,
    delivered,
    log,
  });
  const onRetry = (err: unknown): void => log.warn({ err }, 'agent reports not stored; retrying');
  // Agents report to the replica that takes fleetlets, and every replica may learn of a change of a target.
  const writeAsLeader = writerAsLeader(leadership, EXECUTOR);
  const asLeader: typeof store = (observations, stop) => writeAsLeader((led) => storeIn(led)(observations, stop), stop);
  const intake = new StatusIntake({ store: asLeader, sleep, onRetry });
  const changes = new StatusIntake({ store, sleep, onRetry });
  const delivery = await openDelivery({ ...deps, observer: intake }, signal);
  const { local, workflows, routes, runnables, purges } = connect({ ...delivery, observer: intake, changes });
  return {
    tree,
    addonTypes: delivery.addonTypes,
    agents: delivery.agents,
    intake,
    connectionChanged: delivery.connectionChanged,
    workflows,
    routes,
    purges,
    runnables: (client) => [
      { name: 'agent reports', run: (stop) => intake.run(stop) },
      { name: 'target reports', run: (stop) => changes.run(stop) },
      ...runnables(client),
      connectLocal({ local, leadership, log }),
      ...delivery.runnables,
    ],
  };
}
