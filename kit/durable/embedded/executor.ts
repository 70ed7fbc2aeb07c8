import { type Clock, Notifier } from '#kit/std';
import type { Statement, Storage } from '#kit/storage';
import { toFailure } from '../failure.ts';
import type { AnyWorkflow } from '../workflow.ts';
import type { ActivityRunner } from './activity-runner.ts';
import { drained } from './drained.ts';
import type { ExecutorFact } from './executor-fact.ts';
import { type Journal, LOAD_PORTION, type Mail } from './journal.ts';
import type { End } from './journal-event.ts';
import {
  deleteMail,
  deleteTimer,
  MAIL_CAME,
  parkWorkflow,
  unparkWorkflow,
  WORKFLOW_ENDED,
} from './journal-statements.ts';
import { LiveRun, type TurnResult } from './live-run.ts';
import { replayAll } from './replay.ts';
import { RunningActivities } from './running-activities.ts';
import { type Turn, TurnWriter } from './turn-writer.ts';

/** Mail and timers processed in one turn of the loop. */
const PORTION = 1_000;
/** Waiting workflows that stay in memory, in case they continue soon. */
const KEPT_WAITING = 1_000;

export interface ExecutorDeps {
  /** Writes under the epoch of this executor. */
  readonly storage: Storage;
  readonly journal: Journal;
  readonly workflows: ReadonlyMap<string, AnyWorkflow>;
  readonly activities: ActivityRunner;
  readonly clock: Clock;
  readonly wake: Notifier;
  /** How often to look for mail whose announcement was lost; infinite if there are no other processes. */
  readonly lookMs: number;
  readonly onFact: (fact: ExecutorFact) => void;
}

/** `setTimeout` is limited to 24 days; an hour is long enough. */
const LONGEST_REST_MS = 3_600_000;

/**
 * Executes workflows during one term of leading. A single loop collects events, passes them to the workflows, writes them
 * together with the commands of the workflows, and only then carries out these commands. Everything that happens during
 * a turn goes into the next one, so the size of a turn, and with it the number of workflows per disk sync, adapts to
 * the load.
 */
export class Executor {
  readonly #deps: ExecutorDeps;
  readonly #writer: TurnWriter;
  readonly #activities: RunningActivities;
  readonly #runs = new Map<string, LiveRun>();
  readonly #ready = new Set<LiveRun>();
  #statements: Statement[] = [];
  #mailMayHaveCome = true;
  #nextTimer = 0;
  #lookAt: number;
  /** Open workflows with higher ids have not been loaded since the start. */
  #recoveredUpTo: string | undefined = '';
  /** Workflows that begin their next run. */
  #continued: string[] = [];
  /** Workflows that this executor could not replay with the current code. */
  readonly #parked = new Set<string>();
  #unparked = false;

  constructor(deps: ExecutorDeps) {
    this.#deps = deps;
    this.#writer = new TurnWriter(deps.storage);
    this.#activities = new RunningActivities(deps.activities, (run) => {
      this.#ready.add(run);
      deps.wake.notify();
    });
    this.#lookAt = deps.clock.now() + deps.lookMs;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { storage, wake } = this.#deps;
    const stopListening = storage.onAnnounced(MAIL_CAME, () => {
      this.#mailMayHaveCome = true;
      wake.notify();
    });
    try {
      while (!signal.aborted) {
        await this.#turn(signal);
        await wake.wait(this.#restMs(), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      stopListening();
      for (const run of this.#runs.values()) this.#activities.stopAll(run, signal.reason);
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    await this.#recover(signal);
    // Reset before the query: mail that arrives during it is read in the next turn.
    const look = this.#mailMayHaveCome;
    this.#mailMayHaveCome = false;
    const mail = look ? await this.#deps.journal.mail(PORTION, signal) : [];
    const timers = await this.#dueTimers(signal);
    const moved = [...mail, ...timers].map(({ workflow }) => workflow);
    await this.#bringIn([...moved, ...this.#continued.splice(0)], signal);
    const waits = this.#distribute(mail);
    if (waits || mail.length === PORTION) this.#mailMayHaveCome = true;
    for (const { workflow, step } of timers) this.#timerFired(workflow, step);
    await this.#advance(signal);
  }

  /** After a start, loads open workflows in portions, one per turn, so that new work does not wait for all of them. */
  async #recover(signal: AbortSignal): Promise<void> {
    if (this.#recoveredUpTo === undefined) return;
    const ids = await this.#deps.journal.open(this.#recoveredUpTo, LOAD_PORTION, signal);
    await this.#bringIn(ids, signal);
    this.#recoveredUpTo = ids.length < LOAD_PORTION ? undefined : ids.at(-1);
    if (this.#recoveredUpTo === undefined) this.#deps.onFact({ kind: 'recovered', open: this.#runs.size });
  }

  async #dueTimers(signal: AbortSignal) {
    const now = this.#deps.clock.now();
    if (this.#nextTimer > now) return [];
    const due = await this.#deps.journal.dueTimers(now, PORTION, signal);
    const next = due.length === PORTION ? now : await this.#deps.journal.nextTimer(now, signal);
    this.#nextTimer = next ?? Number.POSITIVE_INFINITY;
    return due;
  }

  async #bringIn(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const missing = [...new Set(ids)].filter((id) => !this.#runs.has(id));
    for (let from = 0; from < missing.length; from += LOAD_PORTION) {
      const loaded = await this.#deps.journal.load(missing.slice(from, from + LOAD_PORTION), signal);
      const open = loaded.filter(({ record }) => record.endedAt === undefined);
      for (const replayed of await replayAll(open, this.#deps.workflows)) {
        const { record } = replayed.loaded;
        if (replayed.kind === 'parked') this.#park(record.id, replayed.error);
        else {
          if (record.status === 'parked') this.#unpark(record.id);
          const run = new LiveRun(replayed.loaded, replayed.execution, replayed.turn);
          this.#runs.set(record.id, run);
          this.#ready.add(run);
        }
      }
    }
  }

  #unpark(workflow: string): void {
    this.#parked.delete(workflow);
    this.#unparked = true;
    this.#statements.push(unparkWorkflow(workflow));
  }

  /** Mail and timers of a parked workflow are skipped. When it is no longer parked, they are read again. */
  #lookAgainAfterUnparking(): void {
    if (!this.#unparked) return;
    this.#unparked = false;
    this.#mailMayHaveCome = true;
    this.#nextTimer = 0;
  }

  /** Callers that wait for a result may be in another process. */
  async #tellOthersOfEnds(turns: readonly Turn[], signal: AbortSignal): Promise<void> {
    const { storage } = this.#deps;
    if (storage.engine === 'sqlite' || !turns.some(({ result }) => result.end !== undefined)) return;
    await storage.announce(WORKFLOW_ENDED, signal);
  }

  /** Returns true if some mail has to wait for the next turn. */
  #distribute(mail: readonly Mail[]): boolean {
    const unwanted: number[] = [];
    let waits = false;
    for (const each of mail) {
      const run = this.#runs.get(each.workflow);
      if (this.#parked.has(each.workflow)) continue;
      // The workflow has ended, so the mail has no receiver.
      if (run === undefined) unwanted.push(each.seq);
      else if (each.kind !== 'start' && !run.takesMail) waits = true;
      else {
        run.take(each.seq);
        this.#handOver(run, each);
      }
    }
    if (unwanted.length > 0) this.#statements.push(deleteMail(unwanted));
    return waits;
  }

  #handOver(run: LiveRun, mail: Mail): void {
    switch (mail.kind) {
      case 'start':
        break;
      case 'signal':
        run.tell({ kind: 'signal', mail });
        break;
      case 'child':
        run.tell({ kind: 'ended', step: mail.step, result: mail.payload, error: mail.error });
        break;
      case 'cancel':
        run.tell({ kind: 'cancel', reason: mail.name });
        break;
      case 'pause':
      case 'resume':
        run.setPaused(mail.kind === 'pause');
        break;
    }
    this.#ready.add(run);
  }

  #timerFired(workflow: string, step: number): void {
    if (this.#parked.has(workflow)) return;
    const run = this.#runs.get(workflow);
    // The workflow has ended, so the timer has no waiter.
    if (run === undefined) this.#statements.push(deleteTimer(workflow, step));
    else {
      run.tell({ kind: 'ended', step, result: undefined, error: undefined });
      this.#ready.add(run);
    }
  }

  /** Passes events on, lets promises settle, writes, and carries out the commands. */
  async #advance(signal: AbortSignal): Promise<void> {
    const runs = [...this.#ready].filter((run) => run.hasNews);
    this.#ready.clear();
    const now = this.#deps.clock.now();
    if (runs.length === 0 && this.#statements.length === 0 && now < this.#lookAt) return;
    // With other processes on the database, an announcement may have been lost.
    if (now >= this.#lookAt) this.#mailMayHaveCome = true;
    for (const run of runs) run.beginTurn(now);
    if (runs.length > 0) await drained();
    const turns = runs.map((run) => ({ run, result: run.endTurn(now) }));
    const { written, refused } = await this.#writer.write(this.#statements.splice(0), turns, signal);
    this.#lookAt = now + this.#deps.lookMs;
    for (const { run, error } of refused) this.#refused(run, error);
    for (const { run, result } of written) this.#carryOut(run, result);
    this.#lookAgainAfterUnparking();
    await this.#tellOthersOfEnds(written, signal);
    await this.#checkChildren(written, signal);
    this.#forgetWaiting();
  }

  /** If another workflow already has the id of a child, the step fails with that. */
  async #checkChildren(turns: readonly Turn[], signal: AbortSignal): Promise<void> {
    const born = turns.flatMap(({ run, result }) =>
      result.start.flatMap((step) => (step.kind === 'child' && result.end === undefined ? [{ run, step }] : [])),
    );
    if (born.length === 0) return;
    const parents = await this.#deps.journal.parents(
      born.map(({ step }) => step.childId),
      signal,
    );
    for (const { run, step } of born) {
      if (parents.get(step.childId) === run.id) continue;
      const error = { code: 'WORKFLOW_EXISTS', message: `the id ${step.childId} is taken` };
      run.tell({ kind: 'ended', step: step.number, result: undefined, error });
      this.#ready.add(run);
    }
  }

  #carryOut(run: LiveRun, { start, drop, end, nextTimer }: TurnResult): void {
    for (const step of drop) this.#activities.stop(run, step.number, new Error('the workflow no longer waits for it'));
    this.#nextTimer = Math.min(this.#nextTimer, nextTimer);
    if (end !== undefined) this.#ended(run, end.kind);
    else for (const step of start) if (step.kind === 'activity') this.#activities.start(run, step);
  }

  #ended(run: LiveRun, how: End['kind']): void {
    this.#activities.stopAll(run, new Error('the workflow has ended'));
    this.#runs.delete(run.id);
    if (how === 'continued') this.#continued.push(run.id);
    else this.#deps.onFact({ kind: 'ended', workflow: run.id, status: how });
  }

  #refused(run: LiveRun, error: unknown): void {
    this.#activities.stopAll(run, error);
    this.#runs.delete(run.id);
    this.#park(run.id, error);
  }

  #park(workflow: string, error: unknown): void {
    const reason = toFailure(error);
    this.#parked.add(workflow);
    this.#statements.push(parkWorkflow(workflow, reason));
    this.#deps.onFact({ kind: 'parked', workflow, reason });
  }

  /** Drops the workflows that were loaded first. */
  #forgetWaiting(): void {
    if (this.#runs.size <= KEPT_WAITING) return;
    for (const [id, run] of this.#runs) {
      if (this.#runs.size <= KEPT_WAITING) return;
      if (run.isWaiting) this.#runs.delete(id);
    }
  }

  #restMs(): number {
    const busy = this.#mailMayHaveCome || this.#recoveredUpTo !== undefined || this.#continued.length > 0;
    if (busy || this.#ready.size > 0 || this.#statements.length > 0) return 0;
    const now = this.#deps.clock.now();
    return Math.min(LONGEST_REST_MS, Math.max(0, Math.min(this.#nextTimer, this.#lookAt) - now));
  }
}
