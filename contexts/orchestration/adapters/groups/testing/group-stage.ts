import { createHmac } from 'node:crypto';
import { createEmbeddedEngine, DURABLE_MIGRATIONS } from '#kit/durable/embedded';
import { Sealer } from '#kit/sealing';
import { parseResourceName, systemClock, uuidv7 } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import type { Acknowledgement } from '#protocol/delivery';
import type { TestDatabase } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import { eventually } from '../../../../../kit/durable/testing/eventually.ts';
import { memoryKeys } from '../../../../../kit/sealing/testing/memory-keys.ts';
import { DeploymentService } from '../../../application/deployment-service.ts';
import { GroupController } from '../../../application/groups/group-controller.ts';
import { groupStatus } from '../../../application/groups/group-status.ts';
import { LocalAgent } from '../../../application/groups/local-agent.ts';
import type { Observer, Units } from '../../../application/ports.ts';
import { rolloutCommands } from '../../../application/rollout-commands.ts';
import type { Deployment } from '../../../domain/deployment/deployment.ts';
import type { DeploymentDraft } from '../../../domain/deployment/deployment-draft.ts';
import type { DeploymentPatch } from '../../../domain/deployment/patch-deployment.ts';
import type { ChildHealth } from '../../../domain/group/child-view.ts';
import type { GroupExplanation } from '../../../domain/group/explain-group.ts';
import { fixedDirectory, fixedPool } from '../../../testing/a-pool.ts';
import { builtInRules } from '../../built-in-rules.ts';
import { ORCHESTRATION_MIGRATIONS } from '../../migrations.ts';
import { runStarter } from '../../run-starter.ts';
import { sqlUnits } from '../../sql/sql-unit-of-work.ts';
import { groupController } from '../../workflows/group-controller.ts';
import { GROUP_RUNS, groupActivities } from '../group-runs.ts';
import { ToyPipeline } from './toy-pipeline.ts';

const WORKSPACE = { name: parseResourceName('shop'), path: '/root/shop/' };

/** Groups as they run in production, on a database of their own; the test controls their children. */
export class GroupStage {
  readonly storage: Storage;
  readonly units: Units;
  readonly agent: LocalAgent;
  readonly pipeline: ToyPipeline;
  readonly #service: DeploymentService;
  readonly #controller: GroupController;
  readonly #signal = AbortSignal.timeout(PATIENCE_MS);
  #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(storage: Storage) {
    const rules = builtInRules();
    const fingerprint = (secret: string) => createHmac('sha256', 'a test').update(secret).digest('hex');
    this.storage = storage;
    this.units = sqlUnits(storage, {
      newId: uuidv7,
      sealer: new Sealer(memoryKeys()),
      pool: () => fixedPool({}),
      workspaces: () => fixedDirectory(WORKSPACE.path),
    });
    this.#service = new DeploymentService({ newUid: uuidv7, rules, fingerprint });
    const observer: Observer = {
      observe: async (all, signal) => {
        const reports = all.flatMap((each) => (each.about === 'report' ? [each.report] : []));
        if (reports.length > 0) await this.pipeline.report(reports, signal);
      },
    };
    this.agent = new LocalAgent({ units: this.units, clock: systemClock, observer });
    this.pipeline = new ToyPipeline({ units: this.units, agent: this.agent, manifests: rules.manifests, fingerprint });
    const { units, agent } = this;
    const service = this.#service;
    this.#controller = new GroupController({ units, service, reports: agent, clock: systemClock });
  }

  static async open(database: TestDatabase): Promise<GroupStage> {
    const stage = new GroupStage(
      await database.open([ORCHESTRATION_MIGRATIONS, LEASE_MIGRATIONS, DURABLE_MIGRATIONS, OUTBOX_MIGRATIONS]),
    );
    stage.start();
    return stage;
  }

  start(): void {
    const { storage } = this;
    const registry = { workflows: [groupController], activities: groupActivities(this.#controller) };
    const engine = createEmbeddedEngine({ storage, registry, seat: 'the test' });
    this.#stop = new AbortController();
    const starter = runStarter(GROUP_RUNS, { storage, client: engine.client });
    this.#running = Promise.all([engine.run(this.#stop.signal), starter.run(this.#stop.signal)]);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the test stops it'));
    await this.#running;
  }

  async create(name: string, draft: object): Promise<Acknowledgement | undefined> {
    const command = { workspace: WORKSPACE.name, name, draft: draft as DeploymentDraft, ...ANN, mayPlaceLocally };
    await this.units.write((unit) => this.#service.create(unit, command, this.#signal), this.#signal);
    return await this.roll(name);
  }

  async patch(name: string, patch: object): Promise<void> {
    const command = { ...key(name), patch: patch as DeploymentPatch, mayPlaceLocally };
    await this.units.write((unit) => this.#service.patch(unit, command, this.#signal), this.#signal);
    await this.roll(name);
  }

  async delete(name: string): Promise<void> {
    await this.units.write((unit) => this.#service.delete(unit, key(name), this.#signal), this.#signal);
  }

  /** As a person of an earlier release could. */
  async deleteChild(name: string): Promise<void> {
    const command = { ...key(name), uid: (await this.find(name)).uid };
    await this.units.write((unit) => this.#service.deleteChild(unit, command, this.#signal), this.#signal);
  }

  async steer(name: string, to: 'pause' | 'resume'): Promise<void> {
    await this.units.write((unit) => rolloutCommands[to](unit, key(name), this.#signal), this.#signal);
  }

  /** Runs one step of the deployment's toy pipeline. */
  async roll(name: string): Promise<Acknowledgement | undefined> {
    return await this.pipeline.roll((await this.find(name)).uid, this.#signal);
  }

  async become(name: string, health: ChildHealth): Promise<void> {
    await this.roll(name);
    await this.pipeline.become((await this.find(name)).uid, health, this.#signal);
  }

  async gone(name: string): Promise<void> {
    await this.pipeline.gone((await this.find(name)).uid, this.#signal);
  }

  async find(name: string): Promise<Deployment> {
    const found = (await this.all()).find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  }

  async all(): Promise<readonly Deployment[]> {
    return await this.units.read((unit) => unit.deployments.inWorkspaces([WORKSPACE.path], this.#signal), this.#signal);
  }

  /** The names of all deployments; those being deleted are prefixed with a minus. */
  async names(): Promise<readonly string[]> {
    return (await this.all()).map(({ name, deletion }) => (deletion === undefined ? name : `-${name}`)).sort();
  }

  /** The last health that the platform, as the group's target, reported. */
  async health(name: string): Promise<string> {
    const { uid } = await this.find(name);
    const last = this.pipeline.reports.findLast((report) => report.deployment === uid && report.kind === 'health');
    return last?.kind === 'health' ? `${last.health}: ${last.message}` : 'nothing';
  }

  async status(name: string): Promise<GroupExplanation | undefined> {
    const { uid: group } = await this.find(name);
    const asked = { group, now: systemClock.now() };
    return await this.units.read((unit) => groupStatus(unit, asked, this.#signal), this.#signal);
  }

  async untilNames(...names: readonly string[]): Promise<void> {
    await this.#until(names.join(' '), async () => (await this.names()).join(' '));
    await this.idle();
  }

  async untilHealth(name: string, health: string): Promise<void> {
    await this.untilHealthSaid(name, health);
    await this.idle();
  }

  /** For a group whose controller looks again after a while. */
  async untilHealthSaid(name: string, health: string): Promise<void> {
    await this.#until(health, () => this.health(name));
  }

  /** Waits until no controller has anything to do. */
  async idle(): Promise<void> {
    const left = sql`SELECT deployment FROM deployment_groups WHERE news > heard OR run IS NOT NULL`;
    await this.#until('', async () => JSON.stringify(await this.storage.all(left, this.#signal)).replace('[]', ''));
  }

  /** Waits until no workflow is left. */
  async untilEnded(): Promise<void> {
    const running = sql`SELECT id FROM durable_workflows WHERE status = 'running'`;
    await this.#until('[]', async () => JSON.stringify(await this.storage.all(running, this.#signal)));
  }

  async #until(want: string, probe: () => Promise<string>): Promise<void> {
    await eventually(want, async () => {
      const found = await probe();
      if (found !== want) throw new Error(`it is ${found}`);
      return true;
    });
  }
}

const ANN = { by: 'user:ann', now: 1_000 };
const mayPlaceLocally = async () => {};

function key(name: string) {
  return { workspace: WORKSPACE.name, name: parseResourceName(name), precondition: { check: () => {} }, ...ANN };
}
