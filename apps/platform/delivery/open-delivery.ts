import { join } from 'node:path';
import { AgentRegistry, type AgentReports, createTargetRouter, type DeliveryAgent } from '#contexts/delivery';
import { SimulatedFleet } from '#contexts/delivery/adapters';
import type { Observer } from '#contexts/orchestration';
import type { AddonTypes } from '#contexts/targets';
import type { Runnable } from '#kit/reconcile';
import { type Clock, sleep as realSleep, type Sleep, systemClock } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { EventLog } from '#kit/storage/outbox';
import type { Logger } from '#kit/telemetry';
import type { OrderOrigin } from '#protocol/delivery';
import type { Incarnation } from '#runtime/instance/incarnation';
import { AnotherLeads, EXECUTOR, type Leadership, writerAsLeader } from '../leadership/leadership.ts';
import type { Hold } from '../restore/hold.ts';
import type { PlatformApi } from './administrator-api.ts';
import { SIMULATED_TYPE } from './demo-resources.ts';
import { fileFleetMemory } from './file-fleet-memory.ts';
import { followSimulatedTargets } from './follow-simulated-targets.ts';
import { lostConnections } from './lost-connections.ts';
import { reportConnections } from './report-connections.ts';
import { seedDemo } from './seed-demo.ts';

export interface OpenDeliveryDeps {
  readonly storage: Storage;
  readonly events: EventLog;
  readonly log: Logger;
  readonly dataFolder: string;
  /** The number of simulated targets in a new instance; 0 for no simulated fleet. */
  readonly demoFleet: number;
  /** Used while the runnables run, not before. */
  readonly api: PlatformApi;
  readonly observer: Observer;
  readonly leadership: Leadership;
  readonly hold: Pick<Hold, 'incarnation'>;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
}

export interface Delivery {
  /** The only way to a target. */
  readonly router: DeliveryAgent;
  /** The registry of the agents in this process. */
  readonly agents: AgentRegistry;
  /** Stores connections with their targets, and then with the deployments on them. */
  readonly connectionChanged: AgentReports['connectionChanged'];
  readonly addonTypes: AddonTypes;
  readonly runnables: readonly Runnable[];
}

export async function openDelivery(deps: OpenDeliveryDeps, signal: AbortSignal): Promise<Delivery> {
  const { leadership, log, clock = systemClock, sleep = realSleep } = deps;
  const agents = new AgentRegistry();
  const held = new Set<string>();
  const connectionChanged = storeConnections(deps, held);
  const isDemo = deps.demoFleet > 0;
  const lost = lostConnections({ leadership, isHeld: (uid) => held.has(uid), clock, sleep, log });
  return {
    router: ordersOf(createTargetRouter({ agents }), () => deps.hold.incarnation),
    agents,
    connectionChanged,
    addonTypes: { has: async (type) => isDemo && type === SIMULATED_TYPE },
    runnables: [lost, ...(isDemo ? await openDemoFleet({ ...deps, agents, connectionChanged }, signal) : [])],
  };
}

/** `held` are the targets that are served by an agent in this process. */
function storeConnections(
  { leadership, observer, log, clock = systemClock }: OpenDeliveryDeps,
  held: Set<string>,
): AgentReports['connectionChanged'] {
  const asLeader = writerAsLeader(leadership, EXECUTOR);
  return async (changes, signal) => {
    // Before the write: the search for lost connections must not find a connected target that is not held.
    for (const { target, isOnline } of changes) {
      if (isOnline) held.add(target.id);
      else held.delete(target.id);
    }
    const store = (storage: Storage) => reportConnections({ storage, clock })(changes, signal);
    try {
      await asLeader(store, signal);
    } catch (error) {
      if (!(error instanceof AnotherLeads)) throw error;
      // The replica that takes fleetlets now decides which of them are connected.
      return log.debug({ count: changes.length }, 'connections not stored: another replica takes fleetlets');
    }
    await observer.observe(
      changes.map(({ target, isOnline }) => ({ about: 'connection', target: target.id, isOnline })),
      signal,
    );
  };
}

interface DemoParts extends OpenDeliveryDeps {
  readonly agents: AgentRegistry;
  readonly connectionChanged: AgentReports['connectionChanged'];
}

/** Slow enough to watch. */
const DEMO_BEHAVIOUR = { latencyMs: 50, applyMs: 1_000, healthMs: 1_500, jitterMs: 3_000 };
const MEMORY_FILE = 'demo-fleet.jsonl';

async function openDemoFleet(parts: DemoParts, signal: AbortSignal): Promise<Runnable[]> {
  const { storage, events, log, agents, observer, connectionChanged, clock = systemClock, sleep = realSleep } = parts;
  const memory = fileFleetMemory(join(parts.dataFolder, MEMORY_FILE));
  const onTrouble = (err: unknown): void => log.warn({ err }, 'reports of simulated targets not stored; retrying');
  const reports: AgentReports = {
    report: (all, stop) =>
      observer.observe(
        all.map((report) => ({ about: 'report', report })),
        stop,
      ),
    inventory: (all, stop) =>
      observer.observe(
        all.map((inventory) => ({ about: 'inventory', inventory })),
        stop,
      ),
    connectionChanged,
  };
  const fleet = await SimulatedFleet.open(
    { reports, onTrouble, clock, sleep, seed: 1, behaviour: DEMO_BEHAVIOUR, memory },
    signal,
  );
  agents.register(fleet, { type: SIMULATED_TYPE });
  const follow = (stop: AbortSignal) => followSimulatedTargets({ storage, events, fleet, sleep, log }, stop);
  return [
    { name: 'demo fleet', run: (stop) => fleet.run(stop) },
    { name: 'demo targets', run: (stop) => seedAndFollow(parts, follow, stop) },
  ];
}

/** A failed demo must not keep the platform from serving. */
async function seedAndFollow(
  { api, demoFleet, log }: DemoParts,
  follow: (stop: AbortSignal) => Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  const seeding = seedDemo(api, demoFleet, stop).then(
    (seeded) => {
      if (seeded.kind === 'seeded') log.info({ count: demoFleet }, 'demo with simulated targets created');
      if (seeded.kind === 'refused') {
        const { path, status, code } = seeded;
        log.warn({ path, status, code }, 'demo not fully created; the next start continues');
      }
    },
    (err: unknown) => {
      if (!stop.aborted) log.warn({ err }, 'demo not fully created; the next start continues');
    },
  );
  await Promise.all([seeding, follow(stop)]);
}

/** Every order names the platform that gives it, so that agents refuse one that is not the latest. */
function ordersOf(router: DeliveryAgent, current: () => Incarnation): DeliveryAgent {
  const origin = (): OrderOrigin => {
    const { instance, incarnation, earlier } = current();
    return { instance, incarnation, restores: earlier.length };
  };
  return {
    dispatch: async (order, signal) => await router.dispatch({ ...order, origin: origin() }, signal),
    preview: async (order, signal) => await router.preview({ ...order, origin: origin() }, signal),
    cancel: async (order, signal) => await router.cancel(order, signal),
  };
}
