import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Outcome } from './after-failure.ts';
import { type Attempted, DispatchWindow, type Progress, type Standing, type Turn } from './dispatch-window.ts';

interface Event {
  readonly position: number;
  readonly key: string;
}

/** The rows of a consumer, as the statements of the store maintain them. */
class Rows {
  cursor = 0;
  readonly deferred = new Map<number, Attempted<Event>>();
  readonly held = new Map<string, number>();
  readonly dead = new Set<number>();

  write({ cursor, deferred, settled, held, freed, dead }: Progress<Event>): void {
    assert.ok(cursor >= this.cursor, 'the cursor never goes back');
    this.cursor = cursor;
    for (const [position, row] of deferred) this.deferred.set(position, row);
    for (const { event } of dead) this.dead.add(event.position);
    for (const [key, dueAt] of held) this.held.set(key, dueAt);
    for (const position of settled) this.deferred.delete(position);
    for (const key of freed) if (this.deferredOf(key).length === 0) this.held.delete(key);
  }

  deferredOf(key: string): Attempted<Event>[] {
    return [...this.deferred.values()]
      .filter(({ event }) => event.key === key)
      .toSorted((a, b) => a.event.position - b.event.position);
  }

  standing({ position, key }: Event): Standing {
    if (this.deferred.has(position) || this.dead.has(position)) return 'recorded';
    return this.held.has(key) ? 'held' : 'free';
  }
}

interface Plan {
  readonly keys: readonly string[];
  readonly size: number;
  readonly concurrency: number;
}

const SETTLED = ['done', 'done', 'retry', 'dead'] as const;

/** One consumer over a log that is complete from the start. Every step asserts the invariants. */
class Simulation {
  readonly rows = new Rows();
  readonly log: readonly Event[];
  readonly plan: Plan;
  window: DispatchWindow<Event>;
  running: Turn<Event>[] = [];
  now = 0;
  /** Handled or given up, as far as a process that starts now would know. */
  settled = new Set<number>();

  constructor(plan: Plan) {
    this.plan = plan;
    this.log = plan.keys.map((key, index) => ({ position: index + 1, key }));
    this.window = this.#open();
  }

  #open(): DispatchWindow<Event> {
    const { size, concurrency } = this.plan;
    const recordedThrough = Math.max(0, ...this.rows.deferred.keys());
    return new DispatchWindow({ cursor: this.rows.cursor, recordedThrough, size, concurrency });
  }

  crash(): void {
    this.running = [];
    this.settled = new Set(
      this.log.map(({ position }) => position).filter((position) => this.#isKnownSettled(position)),
    );
    this.window = this.#open();
  }

  #isKnownSettled(position: number): boolean {
    return this.rows.dead.has(position) || (position <= this.rows.cursor && !this.rows.deferred.has(position));
  }

  record(): void {
    this.rows.write(this.window.record());
    for (const { position } of this.log) {
      const isCovered = this.settled.has(position) || this.rows.deferred.has(position) || position > this.rows.cursor;
      assert.ok(isCovered, `event ${position} is lost: the cursor is at ${this.rows.cursor}`);
    }
  }

  /** Like the session: records, then fetches. */
  look(limit: number): void {
    this.record();
    for (const [key, dueAt] of [...this.rows.held].toSorted((a, b) => a[1] - b[1])) {
      if (dueAt > this.now || this.window.deferredRoom === 0) break;
      if (!this.window.isBusy(key)) this.window.resume(key, this.rows.deferredOf(key).slice(0, 3));
    }
    const count = Math.min(limit, this.window.room);
    const events = this.log.filter(({ position }) => position > this.window.fetched).slice(0, count);
    const arrivals = events.map((event) => ({ event, standing: this.rows.standing(event) }));
    this.window.admit(arrivals, events.at(-1)?.position ?? this.window.fetched);
  }

  start(): void {
    const turn = this.window.start();
    if (turn === undefined) return;
    const { position, key } = turn.event;
    assert.ok(!this.settled.has(position), `event ${position} comes again, though it is known to be done with`);
    for (const earlier of this.log.filter((event) => event.key === key && event.position < position)) {
      assert.ok(this.settled.has(earlier.position), `event ${position} of ${key} comes before ${earlier.position}`);
    }
    assert.ok(!this.running.some(({ event }) => event.key === key), `two events of ${key} run at once`);
    this.running.push(turn);
    assert.ok(this.running.length <= this.plan.concurrency, 'no more run at once than may');
  }

  settle(which: number, kind: Outcome['kind']): void {
    const turn = this.running[which % this.running.length];
    if (turn === undefined) return;
    this.running = this.running.filter((other) => other !== turn);
    const failure = { attempts: turn.attempts + 1, error: 'refused' };
    const outcome: Outcome = kind === 'retry' ? { kind, at: this.now + 2, ...failure } : { kind, ...failure };
    this.window.settle(turn, outcome, this.now);
    if (kind !== 'retry') this.settled.add(turn.event.position);
  }

  /** Does everything that can be done when each event ends as given; `undefined` is an event that never ends. */
  drain(ending: (event: Event) => Outcome['kind'] | undefined): void {
    for (let round = 0; round < 20 + 10 * this.log.length; round += 1) {
      this.now += 1;
      this.look(this.plan.size);
      for (let before = -1; before !== this.running.length; ) {
        before = this.running.length;
        this.start();
      }
      if (this.window.hasFreeSlot && this.window.room === 0) this.window.spill(this.now);
      for (const turn of this.running) {
        const kind = ending(turn.event);
        if (kind !== undefined) this.settle(this.running.indexOf(turn), kind);
      }
    }
    this.record();
  }

  step(choice: number): void {
    this.now += 1;
    const detail = Math.floor(choice / 16);
    switch (choice % 16) {
      case 0:
        this.record();
        break;
      case 1:
        this.window.spill(this.now);
        break;
      case 2:
        if (detail % 2 === 0) this.crash();
        break;
      case 3:
      case 4:
      case 5:
        this.look(1 + (detail % 6));
        break;
      case 6:
      case 7:
      case 8:
      case 9:
      case 10:
        this.start();
        break;
      default:
        this.settle(detail, SETTLED[Math.floor(detail / 4) % SETTLED.length] ?? 'done');
    }
  }
}

const KEYS = ['a', 'b', 'c', 'd'];
const plans = fc.record({
  keys: fc.array(fc.constantFrom(...KEYS), { maxLength: 24, size: 'max' }),
  size: fc.integer({ min: 2, max: 8 }),
  concurrency: fc.integer({ min: 1, max: 4 }),
});
const steps = fc.array(fc.nat({ max: 1_023 }), { maxLength: 150, size: 'max' });

describe('DispatchWindow', () => {
  it('never breaks the order of a key nor loses an event, whatever fails, takes long or crashes', () => {
    fc.assert(
      fc.property(plans, steps, (plan, choices) => {
        const simulation = new Simulation(plan);
        for (const choice of choices) simulation.step(choice);
      }),
      { numRuns: 3_000 },
    );
  });

  it('is done with everything once nothing fails any more', () => {
    fc.assert(
      fc.property(plans, steps, (plan, choices) => {
        const simulation = new Simulation(plan);
        for (const choice of choices) simulation.step(choice);
        simulation.drain(() => 'done');
        const { rows, log, settled } = simulation;
        assert.equal(settled.size, log.length);
        assert.deepEqual([rows.cursor, rows.deferred.size, rows.held.size], [log.length, 0, 0]);
      }),
      { numRuns: 500 },
    );
  });

  for (const { why, ending, slots } of [
    { why: 'that always fails', ending: 'retry' as const, slots: 1 },
    { why: 'that never ends', ending: undefined, slots: 2 },
  ]) {
    it(`holds up no other key for one ${why}`, () => {
      fc.assert(
        fc.property(plans, (plan) => {
          const simulation = new Simulation({ ...plan, concurrency: Math.max(slots, plan.concurrency) });
          simulation.drain(({ key }) => (key === 'a' ? ending : 'done'));
          for (const { position, key } of simulation.log) {
            assert.equal(simulation.settled.has(position), key !== 'a', `event ${position} of ${key}`);
          }
          assert.equal(simulation.rows.cursor <= simulation.log.length, true);
        }),
      );
    });
  }
});
