import type { AgentRegistry, AgentReports } from '#contexts/delivery';
import type { AddonTypes } from '#contexts/targets';
import type { WorkflowClient } from '#kit/durable';
import type { Route } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import type { Sealer } from '#kit/sealing';
import { systemClock } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { EventLog } from '#kit/storage/outbox';
import type { Logger, Metrics } from '#kit/telemetry';
import type { Inventory } from '#protocol/delivery';
import type { PlatformApi } from '../delivery/administrator-api.ts';
import type { Duty } from '../delivery/duty.ts';
import { openDelivery } from '../delivery/open-delivery.ts';
import type { WorkflowSet } from '../durable/workflow-set.ts';
import { instanceSecret } from '../instance-secret.ts';
import type { Purge } from '../maintenance.ts';
import { restoredAt } from '../restore-mark.ts';
import { connectLocal } from './connect-local.ts';
import type { DeploymentsInTree } from './deployments-in-tree.ts';
import { openOrchestration, type Seen } from './open-orchestration.ts';

export interface OpenFleetDeps {
  readonly storage: Storage;
  readonly events: EventLog;
  readonly sealer: Sealer;
  readonly dataFolder: string;
  readonly demoFleet: number;
  readonly duty: Duty;
  /** For the demo; used once everything runs. */
  readonly api: PlatformApi;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Deployments, and the targets that they are deployed to. */
export interface Fleet {
  readonly tree: DeploymentsInTree;
  readonly addonTypes: AddonTypes;
  /** Agents register and report here. */
  readonly agents: AgentRegistry;
  readonly reports: AgentReports;
  readonly workflows: WorkflowSet;
  readonly routes: (seen: Seen) => readonly Route[];
  readonly runnables: (client: WorkflowClient) => readonly Runnable[];
  readonly purges: readonly Purge[];
}

/** Connects deployments and agents: reports go to the deployments, orders to the agents. */
export async function openFleet(deps: OpenFleetDeps, signal: AbortSignal): Promise<Fleet> {
  const { storage, sealer, metrics, log, duty } = deps;
  const fingerprintKey = await instanceSecret({ storage, sealer }, 'content-fingerprints', signal);
  const { tree, intake, connect } = openOrchestration({
    storage,
    sealer,
    fingerprintKey,
    clock: systemClock,
    restoredAt: await restoredAt(storage, signal),
    metrics,
    log,
  });
  const reports = {
    report: intake.report.bind(intake),
    connectionChanged: intake.connectionChanged.bind(intake),
    // Concurrent calls are written in one batch.
    inventory: async (all: readonly Inventory[], stop: AbortSignal) =>
      void (await Promise.all(all.map((inventory) => intake.inventory(inventory, stop)))),
  };
  const delivery = await openDelivery({ ...deps, duty, reports }, signal);
  const { local, workflows, routes, runnables, purges } = connect(delivery);
  return {
    tree,
    addonTypes: delivery.addonTypes,
    agents: delivery.agents,
    reports: delivery.reports,
    workflows,
    routes,
    purges,
    runnables: (client) => [...runnables(client), connectLocal({ local, duty, log }), ...delivery.runnables],
  };
}
