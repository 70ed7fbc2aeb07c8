import { createHmac } from 'node:crypto';
import type { AgentRegistry } from '#contexts/delivery';
import {
  type AddedStrategies,
  type Approvers,
  CarryOutRemovals,
  createDecide,
  DeploymentService,
  GenerationSlots,
  GroupController,
  LOCAL_TARGET_ID,
  LocalAgent,
  type Observer,
  owesRemovals,
  registerStrategies,
  storeObservations,
  TargetChanges,
  type TargetRouter,
} from '#contexts/orchestration';
import {
  approvalRoutes,
  builtInRules,
  builtInStrategies,
  deploymentRoutes,
  GROUP_RUNS,
  groupActivities,
  groupRoutes,
  ORCHESTRATION_WORKFLOWS,
  orchestrationUnitOfWork,
  PIPELINE_RUNS,
  pipelineActivities,
  previewRoutes,
  purgeRevisions,
  revisionRoutes,
  runStarter,
  scoreRoutes,
  sqlUnits,
  type VisibleSet,
} from '#contexts/orchestration/adapters';
import { findTargetNode } from '#contexts/targets/adapters';
import type { WorkflowClient } from '#kit/durable';
import type { Route, Visibility } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import type { Sealer } from '#kit/sealing';
import { type Clock, sleep, uuidv7 } from '#kit/std';
import type { Reader, Storage, Transaction } from '#kit/storage';
import type { Logger, Metrics } from '#kit/telemetry';
import type { TargetId } from '#protocol/targets';
import type { WorkflowSet } from '../durable/workflow-set.ts';
import type { Purge } from '../maintenance.ts';
import { type DeploymentsInTree, deploymentsInTree } from './deployments-in-tree.ts';
import { followTargets } from './follow-targets.ts';
import { meteredRouter, rolloutMetrics } from './rollout-metrics.ts';
import { directoryIn, poolIn, requiredGatesIn } from './transaction-ports.ts';

export interface OpenOrchestrationDeps {
  readonly storage: Storage;
  /** For the writes of the replica that executes; the same storage unless there may be several replicas. */
  readonly leading?: Storage;
  readonly sealer: Sealer;
  /** The key for references to secrets: per instance, and never changed. */
  readonly fingerprintKey: Uint8Array;
  readonly clock: Clock;
  /** Since when this platform follows agents that are ahead of it, if it was restored and does. */
  readonly followsSince?: () => number | undefined;
  readonly metrics: Metrics;
  /** Counts an order that an agent accepted, for the usage of the workspace. */
  readonly delivered: (workspace: string) => void;
  readonly log: Logger;
}

/** The way to targets and back, and the registry for the platform itself as a target. */
export interface Ways {
  readonly router: TargetRouter;
  readonly agents: Pick<AgentRegistry, 'register'>;
  /** Passes observations to `store`, in batches. */
  readonly observer: Observer;
  /** For observations that any replica makes; the observer unless there may be several replicas. */
  readonly changes?: Observer;
}

/** Deployments, from the request to the target and back. */
export interface Orchestration {
  /** For the deletion and moves of workspaces. */
  readonly tree: DeploymentsInTree;
  /** Stores what was observed of targets, with all effects on deployments, in one transaction. */
  readonly store: ReturnType<typeof storeObservations>;
  /** The same, in this storage. */
  readonly storeIn: (storage: Storage) => ReturnType<typeof storeObservations>;
  /** Registers strategies while the platform runs. */
  readonly register: (added: AddedStrategies, signal: AbortSignal) => Promise<void>;
  /** To be called once, as soon as targets can be reached. */
  readonly connect: (ways: Ways) => Pipelines;
}

/** From access: what a caller may see, and who may approve. */
export interface Seen {
  readonly visibility: Visibility<VisibleSet>;
  readonly approvers: Approvers;
}

export interface Pipelines {
  /** The platform as a target; connects with its first order, unless connected before. */
  readonly local: Pick<LocalAgent, 'connect'>;
  readonly workflows: WorkflowSet;
  readonly routes: (seen: Seen) => readonly Route[];
  /** Background work beside the workflows. */
  readonly runnables: (client: WorkflowClient) => readonly Runnable[];
  readonly purges: readonly Purge[];
}

/** Fewer than half of the connections to Postgres. */
const AT_ONCE = 4;

export function openOrchestration(deps: OpenOrchestrationDeps): Orchestration {
  const parts = partsOf(deps);
  const { unit, strategies, rules, units, clock } = parts;
  const storing = { ...parts, owes: owesRemovals(strategies.manifests) };
  return {
    store: storeObservations(storing),
    storeIn: (storage) => storeObservations({ ...storing, units: parts.unitsIn(storage) }),
    tree: deploymentsInTree({ unit, placements: rules.placements, clock }),
    register: (added, signal) => registerStrategies({ registry: strategies, units, clock }, added, signal),
    connect: ({ router: plain, agents, observer, changes = observer }) => {
      const router = meteredRouter(plain, deps.metrics);
      const executing = { ...parts, units: parts.unitsIn(deps.leading ?? deps.storage, { atOnce: AT_ONCE }) };
      const local = new LocalAgent({ units: executing.units, clock, observer });
      agents.register(local, { targets: [LOCAL_TARGET_ID] });
      return {
        local,
        workflows: { ...ORCHESTRATION_WORKFLOWS, activities: activitiesOf({ ...executing, observer, router, local }) },
        routes: (seen) => routesOf({ ...parts, ...seen, router }),
        runnables: (client) => runnablesOf({ ...parts, observer: changes, client }),
        purges: [{ name: 'revisions', run: async (stop) => (await purgeRevisions(deps, stop)).revisions }],
      };
    },
  };
}

type Parts = ReturnType<typeof partsOf>;

function partsOf({ log, ...deps }: OpenOrchestrationDeps) {
  const { storage, sealer, fingerprintKey } = deps;
  const unitDeps = { newId: uuidv7, sealer, pool: poolIn, workspaces: directoryIn, requiredGates: requiredGatesIn };
  const strategies = builtInStrategies();
  const rules = builtInRules(strategies);
  const fingerprint = (secret: string): string => createHmac('sha256', fingerprintKey).update(secret).digest('hex');
  return {
    ...deps,
    log: log.child({ component: 'orchestration' }),
    unit: (tx: Transaction) => orchestrationUnitOfWork(tx, unitDeps),
    units: sqlUnits(storage, unitDeps),
    unitsIn: (other: Storage, limits?: { readonly atOnce: number }) => sqlUnits(other, unitDeps, limits),
    strategies,
    rules,
    fingerprint,
    slots: new GenerationSlots(),
    service: new DeploymentService({ newUid: uuidv7, rules, fingerprint }),
  };
}

interface Executing extends Parts {
  readonly observer: Observer;
  readonly router: TargetRouter;
  readonly local: LocalAgent;
}

function activitiesOf(parts: Executing) {
  const { units, rules: strategies, service, fingerprint, slots, clock, observer, router, local, delivered } = parts;
  return [
    ...pipelineActivities({
      units,
      strategies,
      router,
      fingerprint,
      slots,
      newId: uuidv7,
      clock,
      sleep,
      random: Math.random,
      observer,
      delivered,
    }),
    ...groupActivities(new GroupController({ units, service, reports: local, clock })),
  ];
}

function routesOf(parts: Parts & Seen & { readonly router: TargetRouter }): Route[] {
  const { storage, unit, units, rules, service, fingerprint, slots, clock, router, visibility, approvers } = parts;
  const tree = { storage, unit, units, visibility, workspaces: directoryIn };
  return [
    ...deploymentRoutes({ ...tree, service }),
    ...approvalRoutes({ ...tree, approvers }),
    ...revisionRoutes({ units, decide: createDecide(rules.gates) }),
    ...groupRoutes({ units, clock }),
    ...previewRoutes({ units, strategies: rules, fingerprint, slots, router, service }),
    ...scoreRoutes({ storage, unit, registry: rules.placements, findTarget: scoredTarget }),
  ];
}

function runnablesOf(parts: Parts & { readonly observer: Observer; readonly client: WorkflowClient }): Runnable[] {
  const { storage, units, rules, clock, metrics, log, observer, client } = parts;
  const { placements, manifests } = rules;
  const changes = new TargetChanges({ placements, manifests });
  const onTrouble = (err: unknown): void => log.warn({ err }, 'pipelines not notified; retrying');
  return [
    followTargets({ storage, units, changes, observer, clock, log }),
    runStarter(PIPELINE_RUNS, { storage, client, onTrouble }),
    runStarter(GROUP_RUNS, { storage, client, onTrouble }),
    rolloutMetrics({ storage, metrics, clock, sleep, log }),
    new CarryOutRemovals({
      units,
      manifests,
      clock,
      sleep,
      random: Math.random,
      onTrouble: (err) => log.warn({ err }, 'owed removals not read; retrying'),
    }),
  ];
}

async function scoredTarget(reader: Reader, name: string) {
  const node = await findTargetNode(reader, name);
  return node && { id: node.uid as TargetId, workspacePath: node.path };
}
