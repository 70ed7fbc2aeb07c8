import { createHmac } from 'node:crypto';
import { createEmbeddedEngine, DURABLE_MIGRATIONS } from '#kit/durable/embedded';
import { Sealer } from '#kit/sealing';
import { createUuidv7, parseResourceName, sleep, systemClock, uuidv7 } from '#kit/std';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import type { TestDatabase } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import { eventually } from '../../../../../kit/durable/testing/eventually.ts';
import { memoryKeys } from '../../../../../kit/sealing/testing/memory-keys.ts';
import { DeploymentService } from '../../../application/deployment-service.ts';
import { GroupController } from '../../../application/groups/group-controller.ts';
import { LocalAgent } from '../../../application/groups/local-agent.ts';
import { GenerationSlots } from '../../../application/pipeline/generation/generation-slots.ts';
import type { Observer, TargetRouter, UnitOfWork, Units } from '../../../application/ports.ts';
import { owesRemovals } from '../../../application/removals/owe-removals.ts';
import { rolloutCommands } from '../../../application/rollout-commands.ts';
import type { Deployment } from '../../../domain/deployment/deployment.ts';
import type { DeploymentDraft } from '../../../domain/deployment/deployment-draft.ts';
import type { DeploymentTarget } from '../../../domain/deployment/deployment-target.ts';
import type { DeploymentPatch } from '../../../domain/deployment/patch-deployment.ts';
import { isHealthy } from '../../../domain/deployment/status/is-healthy.ts';
import { LOCAL_TARGET_ID } from '../../../domain/target-view.ts';
import { fixedDirectory } from '../../../testing/a-pool.ts';
import { observationWriter } from '../../../testing/pipeline/observation-writer.ts';
import { ScriptedFleet } from '../../../testing/pipeline/scripted-fleet.ts';
import { builtInRules } from '../../built-in-rules.ts';
import { ORCHESTRATION_MIGRATIONS } from '../../migrations.ts';
import { PIPELINE_RUNS, pipelineActivities } from '../../pipeline/pipeline-activities.ts';
import { runStarter } from '../../run-starter.ts';
import { sqlUnits } from '../../sql/sql-unit-of-work.ts';
import { deploymentPipeline } from '../../workflows/deployment-pipeline.ts';
import { groupController } from '../../workflows/group-controller.ts';
import { GROUP_RUNS, groupActivities } from '../group-runs.ts';

const WORKSPACE = { name: parseResourceName('shop'), path: '/root/shop/' };

/** Deployments and groups with all their parts, and a fleet whose agents follow their scripts. */
export class GroupJourney {
  readonly fleet = new ScriptedFleet();
  readonly units: Units;
  /** The platform as a target. */
  readonly local: LocalAgent;
  readonly #service: DeploymentService;
  readonly #signal = AbortSignal.timeout(PATIENCE_MS);
  readonly #stop: () => Promise<void>;

  private constructor({ units, local, service, stop }: Running, fleet: ScriptedFleet) {
    this.fleet = fleet;
    this.units = units;
    this.local = local;
    this.#service = service;
    this.#stop = stop;
  }

  /** Reports of the platform as a target go to the deployments, or to the given receiver. */
  static async open(database: TestDatabase, observer?: Observer): Promise<GroupJourney> {
    const fleet = new ScriptedFleet();
    return new GroupJourney(await start(database, fleet, observer), fleet);
  }

  async stop(): Promise<void> {
    await this.#stop();
    await this.fleet.settled();
  }

  async create(name: string, draft: object): Promise<void> {
    const command = { workspace: WORKSPACE.name, name, draft: draft as DeploymentDraft, ...ann(), mayPlaceLocally };
    await this.#write((unit) => this.#service.create(unit, command, this.#signal));
  }

  async patch(name: string, patch: object): Promise<void> {
    const command = { ...key(name), patch: patch as DeploymentPatch, mayPlaceLocally };
    await this.#write((unit) => this.#service.patch(unit, command, this.#signal));
  }

  async delete(name: string): Promise<void> {
    await this.#write((unit) => this.#service.delete(unit, key(name), this.#signal));
  }

  /** As a person of an earlier release could. */
  async deleteChild(name: string): Promise<void> {
    const { uid } = await this.find(name);
    await this.#write((unit) => this.#service.deleteChild(unit, { ...key(name), uid }, this.#signal));
  }

  async steer(name: string, to: 'pause' | 'resume' | 'abort' | 'retry'): Promise<void> {
    await this.#write((unit) => rolloutCommands[to](unit, key(name), this.#signal));
  }

  async rollBack(name: string, revision: number): Promise<void> {
    await this.#write((unit) => rolloutCommands.rollback(unit, { ...key(name), revision, paced: false }, this.#signal));
  }

  async all(): Promise<readonly Deployment[]> {
    return await this.units.read((unit) => unit.deployments.inWorkspaces([WORKSPACE.path], this.#signal), this.#signal);
  }

  async find(name: string): Promise<Deployment> {
    const found = (await this.all()).find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  }

  /** The row of a group on the platform, as the API shows it. */
  async localRow(name: string): Promise<DeploymentTarget | undefined> {
    const { uid } = await this.find(name);
    const rows = await this.units.read((unit) => unit.targets.some(uid, [LOCAL_TARGET_ID], this.#signal), this.#signal);
    return rows[0];
  }

  async untilHealthy(...names: readonly string[]): Promise<void> {
    await this.until(`${names.join(', ')} healthy`, async () => {
      const healthy = new Set((await this.all()).filter(isHealthy).map(({ name }) => String(name)));
      return names.every((name) => healthy.has(name));
    });
  }

  async untilNames(...names: readonly string[]): Promise<void> {
    await this.until(names.join(' '), async () => {
      return (
        (await this.all())
          .map(({ name }) => name)
          .sort()
          .join(' ') === [...names].sort().join(' ')
      );
    });
  }

  async untilMessage(name: string, message: string): Promise<void> {
    await this.until(message, async () => (await this.localRow(name))?.healthMessage === message);
  }

  async until(what: string, is: () => Promise<boolean>): Promise<void> {
    try {
      await eventually(what, is);
    } catch (cause) {
      const all = await this.all();
      const found = all.map(({ name, status, revision, rollout }) => ({
        name,
        revision,
        rollout,
        ...status,
        conditions: 0,
      }));
      throw new Error(`${what}; there is ${JSON.stringify(found, undefined, 1)}`, { cause });
    }
  }

  async #write<T>(body: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    return await this.units.write(body, this.#signal);
  }
}

interface Running {
  readonly units: Units;
  readonly local: LocalAgent;
  readonly service: DeploymentService;
  readonly stop: () => Promise<void>;
}

async function start(database: TestDatabase, fleet: ScriptedFleet, observer?: Observer): Promise<Running> {
  const storage = await database.open([
    LEASE_MIGRATIONS,
    DURABLE_MIGRATIONS,
    OUTBOX_MIGRATIONS,
    ORCHESTRATION_MIGRATIONS,
  ]);
  const [newId, rules, directory] = [createUuidv7(systemClock), builtInRules(), fixedDirectory(WORKSPACE.path)];
  const fingerprint = (secret: string) => createHmac('sha256', 'a test').update(secret).digest('hex');
  const sealer = new Sealer(memoryKeys());
  const units = sqlUnits(storage, { newId, sealer, pool: () => fleet.pool, workspaces: () => directory });
  const written = observationWriter({ units, clock: systemClock, owes: owesRemovals(rules.manifests) });
  const service = new DeploymentService({ newUid: uuidv7, rules, fingerprint });
  const local = new LocalAgent({ units, clock: systemClock, observer: observer ?? written.observer });
  const router = routerOf(local, fleet);
  const about = {
    units,
    strategies: rules,
    router,
    fingerprint,
    slots: new GenerationSlots(),
    newId,
    clock: systemClock,
    sleep,
    random: Math.random,
    observer: written.observer,
    delivered: () => {},
  };
  const controller = new GroupController({ units, service, reports: local, clock: systemClock });
  const registry = {
    workflows: [deploymentPipeline, groupController],
    activities: [...pipelineActivities(about), ...groupActivities(controller)],
  };
  const engine = createEmbeddedEngine({ storage, registry, seat: 'the test' });
  const { client } = engine;
  const over = new AbortController();
  const starters = [runStarter(PIPELINE_RUNS, { storage, client }), runStarter(GROUP_RUNS, { storage, client })];
  const running = Promise.all([
    engine.run(over.signal),
    ...starters.map((starter) => starter.run(over.signal)),
    written.run(over.signal),
  ]);
  fleet.observer = written.observer;
  return {
    units,
    local,
    service,
    stop: async () => {
      fleet.observer = undefined;
      over.abort(new Error('the test stops it'));
      await running;
    },
  };
}

function routerOf(local: LocalAgent, fleet: ScriptedFleet): TargetRouter {
  const agentOf = ({ target }: { readonly target: { readonly type: string } }) =>
    target.type === 'local' ? local : fleet;
  return {
    dispatch: (order, signal) => agentOf(order).dispatch(order, signal),
    cancel: async (order, signal) => await agentOf(order).cancel(order, signal),
    preview: async (order, signal) => await agentOf(order).preview(order, signal),
  };
}

const mayPlaceLocally = async () => {};

function ann() {
  return { by: 'user:ann', now: Date.now() };
}

function key(name: string) {
  return { workspace: WORKSPACE.name, name: parseResourceName(name), precondition: { check: () => {} }, ...ann() };
}
