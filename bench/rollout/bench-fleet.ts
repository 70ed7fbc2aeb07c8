import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AgentRegistry, createTargetRouter } from '#contexts/delivery';
import { SimulatedFleet, StatusIntake } from '#contexts/delivery/adapters';
import { createEmbeddedEngine } from '#kit/durable/embedded';
import { openKeyRing, Sealer } from '#kit/sealing';
import { parseResourceName, sleep, systemClock, uuidv7 } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { createLogger } from '#kit/telemetry';
import { createMetrics } from '#kit/telemetry/metrics';
import type { Acknowledgement, DeliveryOrder, DeliveryReport, Inventory } from '#protocol/delivery';
import { type Orchestration, openOrchestration } from '../../apps/platform/orchestration/open-orchestration.ts';
import { insertTarget } from '../../contexts/targets/adapters/sql-target-store.ts';
import { newTarget } from '../../contexts/targets/domain/new-target.ts';
import type { Target } from '../../contexts/targets/domain/target.ts';

export const WORKSPACE = { name: parseResourceName('bench'), path: '/root/bench/' };
const LATENCY_MS = 20;
export const WIDTH = 100;
const TYPE = 'simulated';
export const STAGES = ['canary', 'early', 'late'];
const AT_ONCE = 500;

/** The agents' observations of a change, by the clock of the process. */
export interface Sightings {
  first: number;
  last: number;
  count: number;
}

export interface BenchFleet {
  readonly targets: readonly Target[];
  readonly simulated: SimulatedFleet;
  readonly register: Orchestration['register'];
  /** Starts observing. */
  watch(): Sightings;
  stop(): Promise<void>;
}

export interface FleetOrders {
  readonly storage: Storage;
  readonly folder: string;
  readonly size: number;
}

/** The product's own modules, composed as in the platform, with simulated targets behind them. */
export async function openBenchFleet({ storage, folder, size }: FleetOrders, signal: AbortSignal): Promise<BenchFleet> {
  const targets = await growTargets(storage, size, signal);
  const keys = await openKeyRing({ file: join(folder, 'keys.json'), storage, clock: systemClock }, signal);
  const { store, connect, register } = openOrchestration({
    storage,
    sealer: new Sealer(keys),
    fingerprintKey: randomBytes(32),
    clock: systemClock,
    metrics: createMetrics(),
    delivered: () => {},
    log: createLogger({ level: 'error', destination: process.stderr, pretty: false }),
  });
  const onRetry = (error: unknown): void => void process.stderr.write(`${String(error)}\n`);
  const intake = new StatusIntake({ store, sleep, onRetry });
  const reports = {
    report: (all: readonly DeliveryReport[], stop: AbortSignal) =>
      intake.observe(
        all.map((report) => ({ about: 'report', report })),
        stop,
      ),
    // The targets are always online.
    connectionChanged: async () => {},
    inventory: async (_inventories: readonly Inventory[]) => {},
  };
  const behaviour = { latencyMs: LATENCY_MS };
  const fleet = { reports, clock: systemClock, sleep, seed: 1, width: WIDTH, behaviour };
  const simulated = await SimulatedFleet.open(fleet, signal);
  simulated.add(targets.map(({ uid: id, name, type }) => ({ id: id as never, name, type })));
  const watched = new WatchedAgent(simulated);
  const agents = new AgentRegistry();
  agents.register(watched, { type: TYPE });
  const { workflows, runnables } = connect({ router: createTargetRouter({ agents }), agents, observer: intake });
  const engine = createEmbeddedEngine({ storage, registry: workflows });
  const stop = new AbortController();
  const running = [
    engine.run(stop.signal),
    intake.run(stop.signal),
    simulated.run(stop.signal),
    ...runnables(engine.client).map((runnable) => runnable.run(stop.signal)),
  ].map((run) =>
    run.catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    }),
  );
  return {
    targets,
    simulated,
    register,
    watch: () => watched.watch(),
    stop: async () => {
      stop.abort();
      await Promise.all(running);
    },
  };
}

/** Records when orders are accepted; otherwise the fleet itself. */
class WatchedAgent {
  readonly #fleet: SimulatedFleet;
  #sightings: Sightings = { first: Number.NaN, last: Number.NaN, count: 0 };

  constructor(fleet: SimulatedFleet) {
    this.#fleet = fleet;
  }

  watch(): Sightings {
    this.#sightings = { first: Number.NaN, last: Number.NaN, count: 0 };
    return this.#sightings;
  }

  async dispatch(order: DeliveryOrder, signal: AbortSignal): Promise<Acknowledgement> {
    const taken = await this.#fleet.dispatch(order, signal);
    const now = performance.now();
    if (this.#sightings.count === 0) this.#sightings.first = now;
    this.#sightings.last = now;
    this.#sightings.count += 1;
    return taken;
  }

  async cancel(order: Pick<DeliveryOrder, 'target' | 'deployment' | 'revision'>, signal: AbortSignal): Promise<void> {
    await this.#fleet.cancel(order, signal);
  }

  async preview(order: DeliveryOrder, signal: AbortSignal) {
    return await this.#fleet.preview(order, signal);
  }
}

/** Bypasses the services, which would take a while. */
async function growTargets(storage: Storage, size: number, signal: AbortSignal): Promise<readonly Target[]> {
  const now = Date.now();
  const targets = Array.from({ length: size }, (_, index): Target => {
    const name = parseResourceName(`t-${String(index).padStart(6, '0')}`);
    const labels = { stage: STAGES[index % STAGES.length] ?? '' };
    const draft = { name, type: TYPE, workspace: WORKSPACE.name, labels, properties: {}, advertisedManifestTypes: [] };
    const target = newTarget(draft as never, { workspace: WORKSPACE, uid: uuidv7(), now });
    return { ...target, connection: { state: 'Connected', lastSeenTime: now } };
  });
  await storage.commit(
    [
      sql`INSERT INTO workspaces (name, uid, kind, parent, path, display_name, labels, generation, version, create_time, update_time)
        VALUES (${WORKSPACE.name}, ${uuidv7()}, 'folder', 'root', ${WORKSPACE.path}, NULL, '{}', 1, 1, ${now}, ${now})`,
    ],
    signal,
  );
  for (let from = 0; from < size; from += AT_ONCE) {
    await storage.commit(targets.slice(from, from + AT_ONCE).map(insertTarget), signal);
  }
  return targets;
}
