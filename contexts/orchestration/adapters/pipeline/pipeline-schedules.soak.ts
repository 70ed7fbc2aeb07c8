import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Uuid } from '#kit/std';
import type { DeliveryOrder } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { DATABASES, freshDatabase } from '#testing/databases';
import type { SeededRandom } from '#testing/seeded';
import { eachCase, type Soak } from '#testing/soak';
import type { RolloutSpec } from '../../domain/rollout/rollout-strategy.ts';
import { brokenPromises } from '../../testing/pipeline/broken-promises.ts';
import { inline, PipelineRun } from '../../testing/pipeline/pipeline-run.ts';
import type { Script } from '../../testing/pipeline/scripted-fleet.ts';

/** Whole pipelines in real time, on a real engine and database, under all kinds of faults, crashes included. */
export const soak: Soak = {
  description:
    'pipelines of random fleets under faults, changes and crashes: the last requested state is always reached',
  defaultCount: 200,
  async run(options) {
    let cases = 0;
    await eachCase(options, async ({ random, signal }) => {
      cases += 1;
      const engine = cases % ON_POSTGRES === 0 ? DATABASES.at(-1) : DATABASES[0];
      const schedule = new Schedule(new PipelineRun(await freshDatabase(engine ?? 'sqlite')), random, signal);
      await schedule.run();
    });
  },
};

const TIERS = ['canary', 'prod'] as const;
const MOST_STEPS = 12;
/** One case in so many is on the last engine that the tests use. */
const ON_POSTGRES = 10;

class Schedule {
  readonly #run: PipelineRun;
  readonly #random: SeededRandom;
  readonly #signal: AbortSignal;
  readonly #targets: TargetId[] = [];
  readonly #sent = new Map<string, number>();
  #uid = '' as Uuid;
  #text = 0;
  #late = 0;
  #isPaused = false;
  readonly #faults: string[] = [];

  constructor(run: PipelineRun, random: SeededRandom, signal: AbortSignal) {
    this.#run = run;
    this.#random = random;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { fleet } = this.#run;
    fleet.onDispatch = (order) => this.#look(order);
    try {
      await this.#run.start();
      for (let index = 0; index < this.#random.integer(1, 8); index += 1) this.#join(`t${index}`);
      this.#uid = await this.#run.create('web', { manifest: inline(String(this.#text)), rollout: this.#rollout() });
      for (let step = this.#random.integer(2, MOST_STEPS); step > 0; step -= 1) {
        this.#signal.throwIfAborted();
        await this.#step();
        await delay(this.#random.integer(0, 15));
      }
      await this.#calm();
      assert.deepEqual(this.#faults, []);
    } finally {
      await this.#run.dispose();
    }
  }

  /** No agent ever gets an older revision than before. */
  #look({ target, deployment, revision }: DeliveryOrder): void {
    const key = `${target.id} ${deployment}`;
    const last = this.#sent.get(key) ?? 0;
    if (revision < last) this.#faults.push(`${target.name} was sent ${revision} after ${last}`);
    this.#sent.set(key, Math.max(last, revision));
  }

  async #step(): Promise<void> {
    const steps = [
      () => this.#patch(),
      () => this.#patch(),
      () => this.#run.restart(),
      () => this.#run.restart(),
      () => this.#flap(),
      () => this.#flap(),
      () => this.#rescript(),
      () => this.#rebuild(),
      () => this.#newcomer(),
      () => this.#leaver(),
      () => this.#togglePause(),
      () => this.#command(),
    ];
    await this.#random.pick(steps)();
  }

  /** Everything works from now on: the last requested state has to be reached. */
  async #calm(): Promise<void> {
    const { fleet } = this.#run;
    for (const id of this.#targets) {
      fleet.script(id, {});
      await fleet.setOnline(id, true);
    }
    if (this.#isPaused) await this.#togglePause();
    await this.#run.restart();
    for (const id of this.#targets) await fleet.setOnline(id, true);
    await this.#run.patch(this.#uid, { manifest: inline('the end'), rollout: { type: 'immediate' } }, [
      'manifest',
      'rollout',
    ]);
    await this.#run.trigger(this.#uid, { kind: 'retry', by: 'ann' });
    const end = await this.#run.until(this.#uid, 'all that was asked for', (it) => {
      const { counts } = it.status;
      const isDone = it.rollout === undefined && it.observedGeneration === it.generation;
      return isDone && counts.available === this.#targets.length && counts.leaving === 0;
    });
    await this.#run.untilRested(this.#uid);
    const rows = [...(await this.#run.rows(this.#uid)).values()];
    assert.deepEqual(brokenPromises(await this.#run.get(this.#uid), rows), []);
    assert.equal(end.status.counts.placed, this.#targets.length);
    const hashes = new Set(this.#targets.map((id) => fleet.has(id, this.#uid)?.hash));
    assert.equal(hashes.size, this.#targets.length === 0 ? 0 : 1, 'all targets have the same content');
  }

  #rollout(): RolloutSpec {
    const common = {
      progressDeadline: '1s',
      offlinePolicy: this.#random.pick(['wait', 'skip'] as const),
      onCollision: this.#random.pick(['supersede', 'supersede', 'queue'] as const),
      maxFailures: this.#random.pick([0, 1, '100%'] as const),
      failurePolicy: this.#random.pick(['pause', 'pause', 'rollback'] as const),
      maxRemoval: '100%',
    };
    const stages = TIERS.map((tier) => ({
      name: tier,
      selector: { matchLabels: { tier } },
      afterTasks: this.#random.pick([
        [],
        [{ type: 'wait', duration: '5ms' }],
        [{ type: 'health', stableDuration: '5ms' }],
      ]),
    }));
    return this.#random.pick<RolloutSpec>([
      { ...common, type: 'immediate' },
      { ...common, type: 'rolling', batchSize: this.#random.integer(1, 3) },
      { ...common, type: 'staged', stages },
    ]);
  }

  #script(): Script {
    return this.#random.pick<Script>([
      {},
      {},
      { latencyMs: this.#random.integer(1, 20) },
      { applying: 'fails' },
      { taking: 'rejects' },
      { taking: { throws: this.#random.integer(1, 6) } },
      { health: 'Degraded' },
      { health: 'silent' },
    ]);
  }

  #join(name: string): TargetId {
    const isOnline = this.#random.next() > 0.2;
    const id = this.#run.fleet.add(name, {
      labels: { tier: this.#random.pick(TIERS) },
      isOnline,
      script: this.#script(),
    });
    this.#targets.push(id);
    return id;
  }

  async #patch(): Promise<void> {
    this.#text += 1;
    const spec = { manifest: inline(String(this.#text)), rollout: this.#rollout() };
    await this.#run.patch(this.#uid, spec, ['manifest', 'rollout']);
  }

  async #flap(): Promise<void> {
    const id = this.#random.pick(this.#targets);
    await this.#run.fleet.setOnline(id, this.#random.next() > 0.5);
  }

  async #rescript(): Promise<void> {
    this.#run.fleet.script(this.#random.pick(this.#targets), this.#script());
  }

  async #rebuild(): Promise<void> {
    const id = this.#random.pick(this.#targets);
    await this.#run.fleet.rebuild(id);
    this.#sent.delete(`${id} ${this.#uid}`);
  }

  async #newcomer(): Promise<void> {
    this.#late += 1;
    const target = this.#join(`late-${this.#late}`);
    await this.#run.trigger(this.#uid, { kind: 'target', target, causes: [] });
  }

  async #leaver(): Promise<void> {
    if (this.#targets.length < 2) return;
    const [target] = this.#targets.splice(this.#random.integer(0, this.#targets.length - 1), 1);
    if (target === undefined) return;
    this.#run.fleet.remove(target);
    await this.#run.trigger(this.#uid, { kind: 'target', target, causes: ['deleted'] });
  }

  async #togglePause(): Promise<void> {
    this.#isPaused = !this.#isPaused;
    await this.#run.change(this.#uid, () => ({ rolloutState: this.#isPaused ? 'paused' : 'running' }));
  }

  async #command(): Promise<void> {
    const { revision } = await this.#run.get(this.#uid);
    await this.#run.trigger(
      this.#uid,
      this.#random.pick([
        { kind: 'abort', by: 'ann' },
        { kind: 'replan', by: 'ann' },
        { kind: 'retry', by: 'ann' },
        { kind: 'rollback', to: Math.max(1, revision - 1), paced: this.#random.next() > 0.5, by: 'ann' },
      ] as const),
    );
  }
}
