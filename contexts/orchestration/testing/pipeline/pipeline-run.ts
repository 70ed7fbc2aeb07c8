import type { TestContext } from 'node:test';
import { createEmbeddedEngine, DURABLE_MIGRATIONS } from '#kit/durable/embedded';
import { Sealer } from '#kit/sealing';
import type { Json } from '#kit/std';
import {
  type Clock,
  contentHash,
  createUuidv7,
  parseResourceName,
  sleep as realSleep,
  type Sleep,
  systemClock,
  type Uuid,
} from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import type { TargetId } from '#protocol/targets';
import type { TestDatabase } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import { eventually } from '../../../../kit/durable/testing/eventually.ts';
import { memoryKeys } from '../../../../kit/sealing/testing/memory-keys.ts';
import { ORCHESTRATION_MIGRATIONS } from '../../adapters/migrations.ts';
import { PIPELINE_RUNS, pipelineActivities } from '../../adapters/pipeline/pipeline-activities.ts';
import { runStarter } from '../../adapters/run-starter.ts';
import { sqlUnits } from '../../adapters/sql/sql-unit-of-work.ts';
import { deploymentPipeline } from '../../adapters/workflows/deployment-pipeline.ts';
import { GenerationSlots } from '../../application/pipeline/generation/generation-slots.ts';
import type { PipelineSettings } from '../../application/pipeline/pipeline-settings.ts';
import { insertDeployment, saveDeployment } from '../../application/pipeline/save-deployment.ts';
import type { Observer, TargetRouter, UnitOfWork, Units } from '../../application/ports.ts';
import { CarryOutRemovals } from '../../application/removals/carry-out-removals.ts';
import { owesRemovals } from '../../application/removals/owe-removals.ts';
import { type AddedStrategies, registerStrategies, StrategyRegistry } from '../../application/strategies.ts';
import { postToRollout, requestPlan } from '../../application/wake-pipeline.ts';
import type { Approval } from '../../domain/deployment/approval.ts';
import type { Deployment, DeploymentSpec } from '../../domain/deployment/deployment.ts';
import { type DeploymentDraft, newDeployment } from '../../domain/deployment/deployment-draft.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import type { Revision } from '../../domain/deployment/revision.ts';
import { changed } from '../../domain/deployment/status/with-status.ts';
import { SPEC_AXES, type SpecAxis, type Trigger } from '../../domain/deployment/trigger.ts';
import { inlineManifest } from '../../domain/manifest/inline-manifest.ts';
import { type ManifestStrategy, manifestRegistry } from '../../domain/manifest/manifest-strategy.ts';
import { createPlacementRegistry } from '../../domain/placement/placement-registry.ts';
import type { PlacementStrategy } from '../../domain/placement/placement-strategy.ts';
import { BUILT_IN_GATES } from '../../domain/rollout/gates/built-in-gates.ts';
import type { GateAnswer } from '../../domain/rollout/gates/gate.ts';
import type { RolloutEvent } from '../../domain/rollout/machine/rollout-event.ts';
import { BUILT_IN_ROLLOUTS } from '../../domain/rollout/strategies/built-in-rollouts.ts';
import { fixedDirectory } from '../a-pool.ts';
import { observationWriter } from './observation-writer.ts';
import { ScriptedFleet } from './scripted-fleet.ts';

export interface PipelineRunOptions {
  /** When the platform was restored from a backup. */
  readonly restoredAt?: number;
  readonly manifests?: readonly ManifestStrategy[];
  readonly placements?: readonly PlacementStrategy[];
  readonly settings?: Partial<PipelineSettings>;
  readonly world?: Partial<PipelineWorld>;
}

/** What a process has around it. By default the real world. */
export interface PipelineWorld {
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** By the monotonic clock of the process. */
  readonly monotonic: () => number;
  readonly newId: () => Uuid;
  readonly leaseMs: number;
  /** The next process with this seat takes the lease over at once. */
  readonly seat?: string;
  /** The storage as the process sees it; the test sees it as it is. `kill` ends the process without notice. */
  readonly storage: (storage: Storage, kill: () => void) => Storage;
  readonly router: (fleet: TargetRouter) => TargetRouter;
  readonly observer: (observer: Observer) => Observer;
}

const PLACE = { name: parseResourceName('shop'), path: '/root/shop/' };
const REAL_WORLD: PipelineWorld = {
  clock: systemClock,
  sleep: realSleep,
  monotonic: () => performance.now(),
  newId: createUuidv7(systemClock),
  // As in production: a busy machine that loses its lease carries out the same step twice, and tests count.
  leaseMs: 30_000,
  seat: 'the test',
  storage: (storage) => storage,
  router: (fleet) => fleet,
  observer: (observer) => observer,
};
export const PIPELINE_MODULES = [LEASE_MIGRATIONS, DURABLE_MIGRATIONS, OUTBOX_MIGRATIONS, ORCHESTRATION_MIGRATIONS];

type RunDatabase = Pick<TestDatabase, 'open' | 'dispose'>;

/** A run that is started, and ends with the test. */
export async function aRun(t: TestContext, database: RunDatabase, options?: PipelineRunOptions): Promise<PipelineRun> {
  const run = new PipelineRun(database, options);
  t.after(() => run.dispose());
  return await run.start();
}

/** Pipelines on a real database and engine, with a fleet that outlives them. */
export class PipelineRun {
  readonly fleet: ScriptedFleet;
  /** The workspace of each order that an agent accepted. */
  readonly delivered: string[] = [];
  readonly signal = AbortSignal.timeout(PATIENCE_MS);
  readonly #database: RunDatabase;
  readonly #options: PipelineRunOptions;
  readonly #world: PipelineWorld;
  readonly #sealer = new Sealer(memoryKeys());
  #storage: Storage | undefined;
  #units: Units | undefined;
  #stop: (() => Promise<void>) | undefined;
  /** As after the start of a process. */
  #registry: StrategyRegistry | undefined;

  constructor(database: RunDatabase, options: PipelineRunOptions = {}) {
    this.#database = database;
    this.#options = options;
    this.#world = { ...REAL_WORLD, ...options.world };
    this.fleet = new ScriptedFleet(this.#world.sleep);
  }

  get units(): Units {
    if (this.#units === undefined) throw new RangeError('a run that was started');
    return this.#units;
  }

  get storage(): Storage {
    if (this.#storage === undefined) throw new RangeError('a run that was started');
    return this.#storage;
  }

  async start(): Promise<this> {
    this.#registry = this.#strategies();
    const { clock, sleep, monotonic, newId, leaseMs, seat, ...world } = this.#world;
    const storage = await this.#database.open(PIPELINE_MODULES);
    const stop = new AbortController();
    const kill = (): void => {
      this.fleet.observer = undefined;
      stop.abort(new Error('the test stops the pipelines'));
    };
    const own = world.storage(storage, kill);
    const { pool } = this.fleet;
    const directory = fixedDirectory(PLACE.path);
    const unitsOn = (given: Storage) =>
      sqlUnits(given, { newId, sealer: this.#sealer, pool: () => pool, workspaces: () => directory });
    const units = unitsOn(own);
    const { restoredAt } = this.#options;
    const { observer: stores, run: writing } = observationWriter(
      { units, clock, followsSince: () => restoredAt, owes: owesRemovals(this.#registry.manifests) },
      { sleep, now: monotonic },
    );
    const observer = world.observer(stores);
    const activities = pipelineActivities({
      units,
      strategies: this.#registry,
      router: world.router(this.fleet),
      fingerprint: (secret) => `ref-${secret.length}`,
      slots: new GenerationSlots(this.#options.settings),
      newId,
      clock,
      sleep,
      random: () => 0.01,
      observer,
      delivered: (workspace) => void this.delivered.push(workspace),
      ...(this.#options.settings === undefined ? {} : { settings: this.#options.settings }),
    });
    const registry = { workflows: [deploymentPipeline], activities };
    const engine = createEmbeddedEngine({
      storage: own,
      registry,
      leaseMs,
      clock,
      sleep,
      ...(seat === undefined ? {} : { seat }),
    });
    const starter = runStarter(PIPELINE_RUNS, { storage: own, client: engine.client, sleep });
    const removals = new CarryOutRemovals({
      units,
      manifests: this.#registry.manifests,
      clock,
      sleep,
      random: () => 0.01,
      onTrouble: () => {},
    });
    const running = Promise.all([
      engine.run(stop.signal),
      starter.run(stop.signal),
      writing(stop.signal),
      // It throws the reason of the stop, and nothing else.
      removals.run(stop.signal).catch(() => {}),
    ]);
    running.catch(() => {});
    this.fleet.observer = observer;
    this.#storage = storage;
    this.#units = own === storage ? units : unitsOn(storage);
    this.#stop = async () => {
      kill();
      await running;
      await storage.close();
    };
    return this;
  }

  /** As after a crash: work under way is dropped without notice. */
  async stop(): Promise<void> {
    const stop = this.#stop;
    this.#stop = undefined;
    await stop?.();
  }

  /** While nothing runs: the targets whose orders are recorded as accepted. */
  async known(uid: Uuid): Promise<ReadonlySet<TargetId>> {
    const storage = await this.#database.open(PIPELINE_MODULES);
    try {
      const rows = await storage.all(
        sql`SELECT target FROM deployment_targets WHERE deployment = ${uid}
          AND (order_state = 'accepted' OR applied_revision IS NOT NULL)`,
        this.signal,
      );
      return new Set(rows.map((row) => String(row['target']) as TargetId));
    } finally {
      await storage.close();
    }
  }

  /** The idempotency keys of what is stored for the rollout under way. */
  async generated(uid: Uuid): Promise<readonly string[]> {
    const storage = await this.#database.open(PIPELINE_MODULES);
    try {
      const rows = await storage.all(
        sql`SELECT target, inputs, invalidation FROM generated_contents WHERE deployment = ${uid} AND hash IS NOT NULL`,
        this.signal,
      );
      return rows.map(({ target, inputs, invalidation }) => contentHash([uid, target, inputs, invalidation, false]));
    } finally {
      await storage.close();
    }
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async register(added: AddedStrategies): Promise<void> {
    if (this.#registry === undefined) throw new RangeError('a run that was started');
    await registerStrategies(
      { registry: this.#registry, units: this.units, clock: this.#world.clock },
      added,
      this.signal,
    );
  }

  async create(name: string, draft: Partial<DeploymentDraft>): Promise<Uuid> {
    const now = this.#world.clock.now();
    const uid = this.#world.newId();
    const whole: DeploymentDraft = { manifest: inline('one'), placement: [{ type: 'all' }], ...draft };
    const founding = { uid, name: parseResourceName(name), workspace: PLACE, owner: undefined, now };
    const { deployment, secrets } = newDeployment(whole, { ...founding, fingerprint: (text) => `ref-${text.length}` });
    await this.units.write(async (unit) => {
      await unit.contents.keepSecrets(secrets, this.signal);
      await insertDeployment(unit, deployment, this.signal);
      const trigger = { kind: 'spec', axes: SPEC_AXES, by: 'ann' } as const;
      await requestPlan(unit, uid, { triggers: [trigger], now }, this.signal);
    }, this.signal);
    return uid;
  }

  async patch(uid: Uuid, spec: Partial<DeploymentSpec>, axes: readonly SpecAxis[]): Promise<void> {
    await this.change(uid, (it) => ({ spec: { ...it.spec, ...spec }, generation: it.generation + 1 }), [
      { kind: 'spec', axes, by: 'ann' },
    ]);
  }

  async change(
    uid: Uuid,
    its: (it: Deployment) => Partial<Deployment>,
    triggers: readonly Trigger[] = [],
  ): Promise<void> {
    const now = this.#world.clock.now();
    await this.units.write(async (unit) => {
      const deployment = await found(unit, uid, this.signal);
      const after = changed(deployment, its(deployment), now);
      await saveDeployment(unit, { before: deployment, after, events: [], now }, this.signal);
      await requestPlan(unit, uid, { triggers, now }, this.signal);
      await unit.deployments.wake(uid, this.signal);
    }, this.signal);
  }

  async trigger(uid: Uuid, ...triggers: readonly Trigger[]): Promise<void> {
    const now = this.#world.clock.now();
    await this.units.write((unit) => requestPlan(unit, uid, { triggers, now }, this.signal), this.signal);
  }

  async delete(uid: Uuid): Promise<void> {
    const deletion = { time: this.#world.clock.now(), by: 'ann' };
    await this.change(uid, (it) => ({ deletion, generation: it.generation + 1 }), [{ kind: 'delete', by: 'ann' }]);
  }

  async get(uid: Uuid): Promise<Deployment> {
    return await this.units.read((unit) => found(unit, uid, this.signal), this.signal);
  }

  async rows(uid: Uuid): Promise<ReadonlyMap<string, DeploymentTarget>> {
    const rows = await this.units.read((unit) => unit.targets.of(uid, this.signal), this.signal);
    return new Map(rows.map((row) => [row.name, row]));
  }

  async revision(uid: Uuid, revision: number): Promise<Revision | undefined> {
    return await this.units.read((unit) => unit.revisions.find(uid, revision, this.signal), this.signal);
  }

  /** Waits until the deployment is as described. */
  async until(uid: Uuid, what: string, is: (it: Deployment) => boolean): Promise<Deployment> {
    let last: Deployment | undefined;
    try {
      return await eventually(what, async () => {
        last = await this.get(uid);
        return is(last) ? last : undefined;
      });
    } catch (cause) {
      throw new Error(`${what}; it is ${JSON.stringify(last, undefined, 1)}`, { cause });
    }
  }

  /** Waits until nothing is left to do. */
  async idle(uid: Uuid): Promise<Deployment> {
    return await this.until(
      uid,
      'a deployment at rest',
      (it) => it.rollout === undefined && it.observedGeneration === it.generation,
    );
  }

  /** Waits until its pipeline has ended. */
  async untilRested(uid: Uuid): Promise<void> {
    await eventually('a pipeline at rest', async () => {
      const row = await this.storage.get(sql`SELECT run FROM deployments WHERE uid = ${uid}`, this.signal);
      return row === undefined || row['run'] === null;
    });
  }

  /** Waits until its pipeline has looked at everything that there is for it. */
  async untilHeard(uid: Uuid): Promise<void> {
    await eventually('a pipeline without news', async () => {
      const row = await this.storage.get(
        sql`SELECT news - heard AS n FROM deployments WHERE uid = ${uid}`,
        this.signal,
      );
      return Number(row?.['n']) === 0;
    });
  }

  async untilGone(uid: Uuid): Promise<void> {
    await eventually('a deployment that is gone', async () => {
      return (await this.units.read((unit) => unit.deployments.get(uid, this.signal), this.signal)) === undefined;
    });
  }

  async untilAccepted(uid: Uuid, count: number): Promise<void> {
    await eventually(`${count} deliveries that agents have`, async () => {
      const rows = [...(await this.rows(uid)).values()];
      return rows.filter(({ order }) => order?.state === 'accepted').length === count;
    });
  }

  /** Posts an event to the rollout under way. */
  async tell(uid: Uuid, event: RolloutEvent): Promise<void> {
    await this.units.write(async (unit) => {
      const { rollout: revision = 0 } = await found(unit, uid, this.signal);
      await unit.rollouts.post({ deployment: uid, revision }, [event], this.signal);
      await unit.deployments.wake(uid, this.signal);
    }, this.signal);
  }

  async openApprovals(uid: Uuid, revision: number): Promise<readonly Approval[]> {
    return await this.units.read(
      (unit) => unit.approvals.openOf({ deployment: uid, revision }, this.signal),
      this.signal,
    );
  }

  /** The approvals that the rollout under way waits for, once there are any. */
  async approvals(uid: Uuid): Promise<readonly Approval[]> {
    return await eventually('an approval request', async () => {
      const open = await this.openApprovals(uid, (await this.get(uid)).rollout ?? 0);
      return open.length > 0 ? open : undefined;
    });
  }

  async answer(approval: Approval | undefined, answer: GateAnswer): Promise<void> {
    if (approval === undefined) throw new RangeError('an approval to answer');
    const { deployment, gate, revision } = approval;
    await this.units.write(async (unit) => {
      const state = answer.kind === 'approved' ? 'Approved' : 'Rejected';
      await unit.approvals.replace({ ...approval, state, version: approval.version + 1 }, this.signal);
      const event = { kind: 'gateAnswered', gate, revision, answer } as const;
      await postToRollout(unit, { deployment, revision }, [event], this.signal);
    }, this.signal);
  }

  async dispose(): Promise<void> {
    await this.stop();
    await this.fleet.settled();
    await this.#database.dispose();
  }

  #strategies(): StrategyRegistry {
    const { manifests = [], placements = [] } = this.#options;
    return new StrategyRegistry({
      manifests: manifestRegistry([inlineManifest, ...manifests]),
      placements: createPlacementRegistry(placements),
      rollouts: BUILT_IN_ROLLOUTS,
      gates: BUILT_IN_GATES,
    });
  }
}

export function inline(text: string, more: Readonly<Record<string, Json>> = {}) {
  return { type: 'inline', documents: [{ kind: 'Note', metadata: { name: 'note' }, text, ...more }] };
}

async function found(unit: UnitOfWork, uid: Uuid, signal: AbortSignal): Promise<Deployment> {
  const deployment = await unit.deployments.get(uid, signal);
  if (deployment === undefined) throw new RangeError(`the deployment ${uid}`);
  return deployment;
}
