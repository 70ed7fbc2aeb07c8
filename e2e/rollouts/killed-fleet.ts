import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type Engine, sql } from '#kit/storage';
import { PATIENCE_MS } from '#testing/patience';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { type SeededRandom, seededRandom } from '#testing/seeded';
import { withStorage } from '../access/stored.ts';
import { AgentLog, type TakenOrder } from './agent-log.ts';
import { DeploymentClient, saying } from './deployment-client.ts';
import { simulatedStart } from './simulated-start.ts';

interface KilledFleetOptions {
  readonly engine: Engine;
  readonly seed: number;
  readonly size: number;
}

const WORKSPACE = 'shop';
const NAME = 'app';
const STAGES = ['canary', 'early', 'late'];
const LOOK_MS = 10;

const ROLLOUTS = {
  immediate: { type: 'immediate' },
  staged: {
    type: 'staged',
    stages: STAGES.map((stage) => ({ name: stage, selector: { matchLabels: { stage } }, maxConcurrency: '50%' })),
  },
} as const;

/** When to kill a process: a time after its start, or a number of orders and a short delay later. */
type Moment =
  | { readonly kind: 'starting'; readonly afterMs: number }
  | { readonly kind: 'delivering'; readonly afterOrders: number; readonly thenMs: number };

/** The recorded state of a target after a kill. */
interface Standing {
  readonly target: string;
  readonly appliedRevision: number | undefined;
  readonly appliedHash: string | undefined;
  readonly orderRevision: number | undefined;
  readonly orderState: string | undefined;
  readonly health: string;
}

/** A deployment to many targets, whose platform is killed while it rolls out changes. */
export class KilledFleet {
  readonly #options: KilledFleetOptions;
  readonly #home: PlatformHome;
  readonly #random: SeededRandom;
  readonly #log: AgentLog;
  #uid = '';
  #revision = 0;

  private constructor(home: PlatformHome, options: KilledFleetOptions) {
    this.#home = home;
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#log = new AgentLog(home.data);
  }

  static async create(options: KilledFleetOptions): Promise<KilledFleet> {
    const fleet = new KilledFleet(await platformHome(options.engine), options);
    await fleet.#begin().catch(async (error: unknown) => {
      await fleet.dispose();
      throw error;
    });
    return fleet;
  }

  async dispose(): Promise<void> {
    await this.#home.dispose();
  }

  /** Changes one line, kills the process this many times before all targets have the change, and once more afterwards. */
  async changeAndKill(rollout: keyof typeof ROLLOUTS, kills: number): Promise<void> {
    const revision = this.#revision + 1;
    const first = await this.#home.start(simulatedStart(this.#home));
    const patch = { manifest: saying(`revision ${revision}`), rollout: ROLLOUTS[rollout] };
    await clientOf(first).patch(NAME, patch);
    let process: Platform | undefined = first;
    let settled = new Set<string>();
    for (let kill = 0; kill < kills; kill += 1) {
      await this.#killOnce(process, drawMoment(this.#random, this.#options.size));
      process = undefined;
      settled = await this.#checkLife(revision, settled);
    }
    const last = await this.#home.start(simulatedStart(this.#home));
    const { status } = await clientOf(last).succeeded(NAME, revision);
    const { placed, available, failed, underWay } = status.counts;
    const { size } = this.#options;
    assert.deepEqual(
      { placed, available, failed, underWay },
      { placed: size, available: size, failed: 0, underWay: 0 },
    );
    await last.kill();
    settled = await this.#checkLife(revision, settled);
    assert.equal(settled.size, size, 'all have it');
    this.#revision = revision;
    await this.#checkOrders(revision, kills);
  }

  /** Delivers a first revision to every target, then stops the process. */
  async #begin(): Promise<void> {
    const { size } = this.#options;
    const platform = await this.#home.start(simulatedStart(this.#home));
    const client = clientOf(platform);
    const targets = Array.from({ length: size }, (_, index) => {
      const name = `t-${String(index).padStart(5, '0')}`;
      return { name, labels: { stage: STAGES[index % STAGES.length] } };
    });
    await client.settle(targets);
    await client.create([{ name: NAME, manifest: saying('nothing'), placement: [{ type: 'all' }] }]);
    this.#uid = (await client.get(NAME)).uid;
    await client.succeeded(NAME, 1);
    this.#revision = 1;
    // Stopped gracefully, which keeps the compiled code for the next processes.
    await platform.stop();
    this.#log.takeIn();
  }

  async #killOnce(running: Platform | undefined, moment: Moment): Promise<void> {
    if (running === undefined && moment.kind === 'starting') {
      const starting = this.#home.spawn(simulatedStart(this.#home));
      await delay(moment.afterMs);
      await starting.kill();
      return;
    }
    const platform = running ?? (await this.#home.start(simulatedStart(this.#home)));
    const { afterOrders, thenMs } = moment.kind === 'starting' ? { afterOrders: 0, thenMs: 0 } : moment;
    const before = this.#log.length;
    const client = clientOf(platform);
    await until(async () => this.#log.length >= before + afterOrders || !(await client.get(NAME)).reconciling);
    await delay(thenMs);
    await platform.kill();
  }

  /**
   * Checks that no target received an order again after it was known to have the revision or to have accepted it. Returns
   * the targets for which that is known now.
   */
  async #checkLife(revision: number, settled: ReadonlySet<string>): Promise<Set<string>> {
    const taken = this.#log.takeIn().filter((order) => order.deployment === this.#uid && order.revision === revision);
    const again = taken.filter(({ target }) => settled.has(target));
    assert.deepEqual(again, [], 'whoever is known to have it does not get it again');
    const standings = await this.#standings();
    assert.equal(standings.length, this.#options.size, 'nobody is left out');
    return new Set(standings.filter((each) => isSettled(each, revision)).map(({ target }) => target));
  }

  async #checkOrders(revision: number, kills: number): Promise<void> {
    const byTarget = Map.groupBy(
      this.#log.orders.filter(({ deployment }) => deployment === this.#uid),
      ({ target }) => target,
    );
    assert.equal(byTarget.size, this.#options.size);
    for (const [target, orders] of byTarget) checkTarget({ target, orders, revision, kills });
    const hashes = new Set([...byTarget.values()].map((orders) => orders.at(-1)?.hash));
    assert.equal(hashes.size, 1, 'all have the same');
    for (const { target, appliedHash, appliedRevision, health } of await this.#standings()) {
      const want = { appliedRevision: revision, appliedHash: [...hashes][0], health: 'Available' };
      assert.deepEqual({ appliedRevision, appliedHash, health }, want, target);
    }
  }

  async #standings(): Promise<readonly Standing[]> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const rows = await withStorage(this.#home, (storage) =>
      storage.all(
        sql`SELECT target, applied_revision, applied_hash, order_revision, order_state, health
          FROM deployment_targets WHERE deployment = ${this.#uid} AND is_placed = 1`,
        signal,
      ),
    );
    return rows.map((row) => ({
      target: String(row['target']),
      appliedRevision: row['applied_revision'] === null ? undefined : Number(row['applied_revision']),
      appliedHash: row['applied_hash'] === null ? undefined : String(row['applied_hash']),
      orderRevision: row['order_revision'] === null ? undefined : Number(row['order_revision']),
      orderState: row['order_state'] === null ? undefined : String(row['order_state']),
      health: String(row['health']),
    }));
  }
}

/** The target has applied the revision, or its agent has accepted the order and will report the outcome. */
function isSettled({ appliedRevision, orderRevision, orderState }: Standing, revision: number): boolean {
  return appliedRevision === revision || (orderRevision === revision && orderState === 'accepted');
}

interface TargetOrders {
  readonly target: string;
  readonly orders: readonly TakenOrder[];
  readonly revision: number;
  readonly kills: number;
}

function checkTarget({ target, orders, revision, kills }: TargetOrders): void {
  const revisions = orders.map((order) => order.revision);
  assert.deepEqual(
    revisions,
    revisions.toSorted((a, b) => a - b),
    `${target} never went back`,
  );
  const count = revisions.filter((each) => each === revision).length;
  assert.ok(count >= 1 && count <= 1 + kills, `${target} got revision ${revision} ${count} times`);
}

function drawMoment(random: SeededRandom, size: number): Moment {
  if (random.next() < 0.15) return { kind: 'starting', afterMs: random.integer(0, 2_000) };
  // A stage starts with a sixth of the targets, and orders accepted before a kill are done when the next process starts.
  return { kind: 'delivering', afterOrders: random.integer(0, size / 6), thenMs: random.pick([0, 10, 100, 1_500]) };
}

function clientOf(platform: Platform): DeploymentClient {
  return new DeploymentClient(platform, WORKSPACE);
}

/** The caller sets a deadline for the whole. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(LOOK_MS);
}
