import { setImmediate as immediate } from 'node:timers/promises';
import { createUuidv7, type Uuid } from '#kit/std';
import { type Storage, StorageError } from '#kit/storage';
import type { TargetId } from '#protocol/targets';
import { FakeClock } from '#testing/fake-clock';
import type { GateAnswer } from '../../domain/rollout/gates/gate.ts';
import { brokenPromises } from './broken-promises.ts';
import { decidedFaults } from './decided-faults.ts';
import { DeliveryWatch } from './delivery-watch.ts';
import { type Death, MortalStorage } from './mortal-storage.ts';
import { inline, PipelineRun } from './pipeline-run.ts';
import type { Incident, Schedule, SimulatedTarget } from './schedule.ts';

/** By then everything that works has long come about. */
const CALM_MS = 1_800_000;
const SELECTED = { matchLabels: { selected: 'yes' } };

/** Plays a schedule on an empty database, and returns what went wrong. The same schedule always goes the same way. */
export async function simulate(schedule: Schedule, storage: Storage, signal: AbortSignal): Promise<readonly string[]> {
  return await new Simulation(storage, signal).play(schedule);
}

/**
 * Pipelines on the real engine and database, with a simulated clock and fleet. Time stands still while the process works:
 * it passes to the next sleep that ends once no operation of the storage is under way and none follows.
 */
class Simulation {
  readonly #clock = new FakeClock();
  readonly #watch = new DeliveryWatch(() => this.#clock.now());
  readonly #run: PipelineRun;
  readonly #signal: AbortSignal;
  readonly #targets: TargetId[] = [];
  readonly #approved = new Set<string>();
  #process: MortalStorage | undefined;
  #downMs = 0;
  #uid = '' as Uuid;
  #named = 0;
  #text = 0;

  constructor(storage: Storage, signal: AbortSignal) {
    this.#signal = signal;
    this.#run = new PipelineRun(
      { open: async () => sharedBy(storage), dispose: async () => {} },
      {
        world: {
          clock: this.#clock,
          sleep: this.#clock.sleep,
          monotonic: () => this.#clock.now(),
          newId: createUuidv7(this.#clock, (size) => new Uint8Array(size)),
          leaseMs: CALM_MS,
          seat: 'the simulation',
          storage: (given, kill) => {
            this.#process = new MortalStorage(given, () => {
              this.#watch.mayRepeat();
              kill();
            });
            return this.#process;
          },
          router: (fleet) => {
            const process = this.#process;
            return this.#watch.router(fleet, () => process?.isDead === false);
          },
          observer: (stores) => this.#watch.observer(stores),
        },
      },
    );
  }

  async play({ fleet, rollout, incidents, lastDeath }: Schedule): Promise<readonly string[]> {
    try {
      await this.#run.start();
      for (const target of fleet) this.#join(target);
      const placement = [{ type: 'selector', ...SELECTED }];
      this.#uid = await this.#run.create('web', { manifest: inline('0'), placement, rollout });
      for (const incident of incidents) {
        this.#signal.throwIfAborted();
        await this.#happen(incident);
      }
      const end = await this.#calm(lastDeath);
      return [...this.#watch.faults, ...end, ...(await this.#decisions())];
    } finally {
      await this.#run.stop();
    }
  }

  async #happen(it: Incident): Promise<void> {
    const { fleet } = this.#run;
    switch (it.do) {
      case 'patch':
        return await this.#patch(it.isNew, it.rollout);
      case 'crash':
        this.#downMs = it.downMs;
        return this.#process?.dieAt(it.death);
      case 'connect':
        return this.#withTarget(it.which, (id) => this.#connect(id, it.isOnline));
      case 'script':
        return this.#withTarget(it.which, (id) => fleet.script(id, it.script));
      case 'rebuild':
        return this.#withTarget(it.which, (id) => {
          this.#watch.forget(id);
          ignored(fleet.rebuild(id));
        });
      case 'join':
        return await this.#trigger(this.#join(it.target));
      case 'select':
        return await this.#withTarget(it.which, (id) => this.#select(id, it.isSelected));
      case 'vanish':
        return await this.#vanish(it.which);
      case 'pause':
        return await this.#run.change(this.#uid, () => ({ rolloutState: it.isPaused ? 'paused' : 'running' }));
      case 'command':
        return await this.#command(it.command);
      case 'answer':
        return await this.#answer(it.isApproved);
      case 'pass':
        return await this.#pass(it.ms);
    }
  }

  /** Everything works from now on: the last requested state is reached, and then nothing is sent any more. */
  async #calm(lastDeath: Death | undefined): Promise<readonly string[]> {
    const { fleet } = this.#run;
    this.#process?.die();
    this.#downMs = 1_000;
    await this.#pass(1_000);
    for (const id of this.#targets) {
      fleet.script(id, {});
      this.#connect(id, true);
    }
    await this.#pass(1_000);
    await this.#run.change(this.#uid, () => ({ rolloutState: 'running' }));
    const last = { manifest: inline('the end'), rollout: { type: 'immediate', maxRemoval: '100%' } };
    await this.#run.patch(this.#uid, last, ['manifest', 'rollout']);
    await this.#command('retry');
    if (lastDeath !== undefined) this.#process?.dieAt(lastDeath);
    for (let passed = 0; !(await this.#isDone()); passed += 10_000) {
      if (passed > CALM_MS) return [`never reached: ${await this.#reached()}`];
      await this.#answer(true);
      await this.#pass(10_000);
    }
    this.#process?.die();
    await this.#pass(10_000);
    const sent = this.#watch.dispatched.length;
    await this.#run.patch(this.#uid, { manifest: inline('the end') }, ['manifest']);
    for (const id of this.#targets) this.#connect(id, true);
    await this.#pass(30_000);
    const needless = this.#watch.dispatched.slice(sent).map(({ order }) => `${order.target.name} without a change`);
    const rows = [...(await this.#run.rows(this.#uid)).values()];
    return [...needless, ...brokenPromises(await this.#run.get(this.#uid), rows), ...this.#misplaced()];
  }

  async #reached(): Promise<string> {
    const { placement, counts, rollout, trouble } = (await this.#run.get(this.#uid)).status;
    return JSON.stringify({ placement, counts, rollout, trouble });
  }

  async #isDone(): Promise<boolean> {
    const { rollout, observedGeneration, generation, status } = await this.#run.get(this.#uid);
    const { available, leaving } = status.counts;
    const isReached = available === this.#selected().length && leaving === 0;
    return isReached && rollout === undefined && observedGeneration === generation;
  }

  /** Of the selected targets, each has the same content; of the others, none has any. */
  #misplaced(): readonly string[] {
    const { fleet } = this.#run;
    const selected = new Set(this.#selected());
    const hashes = new Set([...selected].map((id) => fleet.has(id, this.#uid)?.hash));
    const left = this.#targets.filter((id) => !selected.has(id) && fleet.has(id, this.#uid) !== undefined);
    return [
      ...(hashes.size > 1 || hashes.has(undefined) ? ['not all targets have the last content'] : []),
      ...left.map((id) => `${id} still has content`),
    ];
  }

  /** Each order was decided by a turn of its rollout, and each decision kept the rules. */
  async #decisions(): Promise<readonly string[]> {
    const { uid, revision } = await this.#run.get(this.#uid);
    return await this.#run.units.read(
      (unit) =>
        decidedFaults(unit, {
          deployment: uid,
          revisions: revision,
          approved: this.#approved,
          dispatched: this.#watch.dispatched,
          signal: this.#signal,
        }),
      this.#signal,
    );
  }

  #selected(): readonly TargetId[] {
    return this.#targets.filter((id) => this.#run.fleet.isSelected(id, SELECTED));
  }

  async #pass(ms: number): Promise<void> {
    const until = this.#clock.now() + ms;
    for (;;) {
      await this.#settle();
      const due = this.#clock.nextDue ?? Number.POSITIVE_INFINITY;
      if (due > until) break;
      await this.#clock.advance(Math.max(0, due - this.#clock.now()));
    }
    await this.#clock.advance(Math.max(0, until - this.#clock.now()));
    await this.#settle();
  }

  /** Resolves when only the passing of time could continue anything. A dead process is followed by the next. */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; ) {
      this.#signal.throwIfAborted();
      const process = this.#process;
      if (process?.isDead === true) await this.#succeed();
      const before = process?.count;
      await immediate();
      quiet = this.#process === process && process?.underWay === 0 && process.count === before ? quiet + 1 : 0;
    }
  }

  async #succeed(): Promise<void> {
    await this.#run.stop();
    await this.#clock.advance(this.#downMs);
    await this.#run.start();
    // The connections of all targets begin again, and agents report what they have.
    for (const id of this.#targets) this.#connect(id, this.#run.fleet.isOnline(id));
  }

  #join({ tier, isOnline, script }: SimulatedTarget): TargetId {
    this.#named += 1;
    const labels = { tier, ...SELECTED.matchLabels };
    const id = this.#run.fleet.add(`t${this.#named}`, { labels, isOnline, script });
    this.#targets.push(id);
    return id;
  }

  #withTarget<T>(which: number, act: (id: TargetId) => T): T | undefined {
    const id = this.#targets[which % Math.max(1, this.#targets.length)];
    return id === undefined ? undefined : act(id);
  }

  #connect(id: TargetId, isOnline: boolean): void {
    ignored(this.#run.fleet.setOnline(id, isOnline));
  }

  async #select(id: TargetId, isSelected: boolean): Promise<void> {
    this.#run.fleet.label(id, { selected: isSelected ? 'yes' : 'no' });
    await this.#trigger(id, isSelected ? [] : ['relabel']);
  }

  async #vanish(which: number): Promise<void> {
    const [id] = this.#targets.splice(which % Math.max(1, this.#targets.length), 1);
    if (id === undefined) return;
    this.#run.fleet.remove(id);
    this.#watch.forget(id);
    await this.#trigger(id, ['deleted']);
  }

  async #trigger(target: TargetId, causes: readonly ('deleted' | 'relabel')[] = []): Promise<void> {
    await this.#run.trigger(this.#uid, { kind: 'target', target, causes });
  }

  async #patch(isNew: boolean, rollout: Schedule['rollout']): Promise<void> {
    if (isNew) this.#text += 1;
    await this.#run.patch(this.#uid, { manifest: inline(String(this.#text)), rollout }, ['manifest', 'rollout']);
  }

  async #command(kind: 'abort' | 'replan' | 'retry' | 'rollback'): Promise<void> {
    const { revision } = await this.#run.get(this.#uid);
    if (kind === 'retry') this.#watch.mayRepeat();
    if (kind !== 'rollback') return await this.#run.trigger(this.#uid, { kind, by: 'ann' });
    if (revision < 2) return;
    await this.#run.trigger(this.#uid, { kind, to: revision - 1, paced: revision % 2 === 0, by: 'ann' });
  }

  async #answer(isApproved: boolean): Promise<void> {
    const { rollout } = await this.#run.get(this.#uid);
    if (rollout === undefined) return;
    const [open] = await this.#run.openApprovals(this.#uid, rollout);
    if (open === undefined) return;
    const answer: GateAnswer = isApproved
      ? { kind: 'approved', by: 'bob' }
      : { kind: 'rejected', by: 'bob', message: 'not today' };
    try {
      await this.#run.answer(open, answer);
      if (isApproved) this.#approved.add(`${rollout} ${open.gate}`);
    } catch (error) {
      // The rollout no longer waits for it.
      if (!(error instanceof StorageError && error.code === 'GUARD_FAILED')) throw error;
    }
  }
}

/** The storage outlives the processes that use it. */
function sharedBy(storage: Storage): Storage {
  return {
    engine: storage.engine,
    all: (statement, signal) => storage.all(statement, signal),
    get: (statement, signal) => storage.get(statement, signal),
    read: (body, signal) => storage.read(body, signal),
    write: (body, signal) => storage.write(body, signal),
    commit: (batch, signal) => storage.commit(batch, signal),
    onAnnounced: (topic, listener) => storage.onAnnounced(topic, listener),
    announce: (topic, signal) => storage.announce(topic, signal),
    close: async () => {},
  };
}

/** An agent speaks while the process lives; if it dies meanwhile, the agent says it again to the next. */
function ignored(work: Promise<void>): void {
  work.catch(() => {});
}
