import type { Statement } from '#kit/storage';
import { begin } from './embedded-context.ts';
import type { Execution } from './execution.ts';
import type { Attempts, LoadedWorkflow, Mail } from './journal.ts';
import type { AskedStep, Command, End, JournalEvent, StepFailure } from './journal-event.ts';
import {
  deleteAttempts,
  deleteTimer,
  endRun,
  insertEvent,
  insertMail,
  insertTimer,
  insertWorkflow,
  saveAttempts,
  setPaused,
  setState,
} from './journal-statements.ts';
import type { WorkflowRecord } from './workflow-row.ts';

/** An event to deliver to the workflow in a turn. */
export type RunInput =
  | {
      readonly kind: 'ended';
      readonly step: number;
      readonly result: string | undefined;
      readonly error: StepFailure | undefined;
    }
  | { readonly kind: 'signal'; readonly mail: Mail }
  | { readonly kind: 'cancel'; readonly reason: string };

export interface TurnResult {
  readonly statements: Statement[];
  /** Numbers of the delivered mail: deleted in the same transaction as these statements. */
  readonly mail: readonly number[];
  /** Steps to start when the turn is on disk. */
  readonly start: AskedStep[];
  readonly drop: AskedStep[];
  readonly end: End | undefined;
  /** The earliest of the timers that start with this turn. */
  readonly nextTimer: number;
}

/** A workflow in memory, between two turns. */
export class LiveRun {
  readonly id: string;
  readonly record: WorkflowRecord;
  /** Timers that existed when the workflow was loaded. */
  readonly #timers: ReadonlySet<number>;
  readonly execution: Execution;
  /** Functions that stop running activities, by step. */
  readonly running = new Map<number, (reason: unknown) => void>();
  readonly attempts: Map<number, Attempts>;
  paused: boolean;
  #begun: boolean;
  #waiting: boolean;
  #turn: number;
  #events: JournalEvent[] = [];
  #firstPosition = 0;
  /** Events since the last turn; delivered with the next one. */
  #inbox: RunInput[] = [];
  /** Numbers of the mail that is deleted with the next turn. */
  #mail: number[] = [];
  #notes: Statement[] = [];
  /** Start all pending steps: after a load, and when a pause ends. */
  #startsAll: boolean;

  constructor(loaded: LoadedWorkflow, execution: Execution, turn: number) {
    const { record } = loaded;
    this.id = record.id;
    this.record = record;
    this.#timers = loaded.timers;
    this.execution = execution;
    this.attempts = new Map(loaded.attempts);
    this.paused = record.paused;
    this.#begun = record.begun;
    this.#waiting = record.waiting;
    this.#turn = turn;
    this.#startsAll = record.begun;
  }

  /** Only mail or a timer can continue the workflow, so it may be removed from memory. */
  get isWaiting(): boolean {
    return this.#begun && !this.hasNews && this.running.size === 0 && !this.#hasPendingActivity;
  }

  get hasNews(): boolean {
    const starts = this.#startsAll && !this.paused;
    return !this.#begun || starts || this.#inbox.length + this.#mail.length + this.#notes.length > 0;
  }

  /** Mail is delivered only to a workflow that has begun; until then it stays in the database. */
  get takesMail(): boolean {
    return this.#begun;
  }

  /** The mail is deleted in the transaction that writes its content into the history. */
  take(mail: number): void {
    this.#mail.push(mail);
  }

  tell(received: RunInput): void {
    this.#inbox.push(received);
  }

  noteAttempts(step: number, attempts: Attempts): void {
    this.attempts.set(step, attempts);
    this.#notes.push(saveAttempts(this.id, step, attempts));
  }

  setPaused(paused: boolean): void {
    if (this.paused === paused) return;
    this.paused = paused;
    this.#notes.push(setPaused(this.id, paused));
    if (!paused) this.#startsAll = true;
  }

  /** First half of a turn: delivers the events. The caller then lets promises settle and calls the second half. */
  beginTurn(now: number): void {
    this.#events = [];
    this.#firstPosition = this.execution.length;
    if (!this.#begun) return begin(this.execution);
    if (this.#inbox.length > 0) this.#turn++;
    for (const received of this.#inbox.splice(0)) {
      const event = this.#toEvent(received, now);
      if (event === undefined || this.execution.end !== undefined) continue;
      this.execution.apply(event);
      this.#events.push(event);
    }
  }

  /** Second half: returns the statements to write, and the steps to start when they are written. */
  endTurn(now: number): TurnResult {
    const commands = this.execution.takeCommands();
    for (const command of commands)
      if (command.kind === 'patch') this.#events.push(this.#patchEvent(command.change, now));
    const [start, drop] = this.#steps(commands);
    const end = this.execution.end;
    const timers = end === undefined ? start.filter((step) => step.kind === 'timer') : [];
    const statements = [
      ...this.#notes.splice(0),
      ...this.#events.map((event, index) => this.#insertion(event, this.#firstPosition + index)),
      ...drop.flatMap((step) => this.#dropping(step, now)),
      ...timers.map((step) => insertTimer(this.id, step.number, now + step.ms)),
      ...start.flatMap((step) => (step.kind === 'child' ? this.#birth(step, now) : [])),
      ...this.#stateChange(end),
      ...(end === undefined ? [] : this.#ending(end, now)),
    ];
    this.#begun = true;
    const nextTimer = Math.min(...timers.map((step) => now + step.ms));
    return { statements, mail: this.#mail.splice(0), start, drop, end, nextTimer };
  }

  #steps(commands: readonly Command[]): [AskedStep[], AskedStep[]] {
    const asked = commands.flatMap((command) => (command.kind === 'start' ? [command.step] : []));
    const dropped = commands.flatMap((command) => (command.kind === 'drop' ? [command.step] : []));
    const startsAll = this.#startsAll && !this.paused;
    this.#startsAll &&= this.paused;
    const wanted = startsAll ? [...this.execution.pending.values()].map((step) => step.asked) : asked;
    const begunAndDropped = new Set(asked.filter((step) => dropped.includes(step)));
    const start = this.paused
      ? []
      : wanted.filter((step) => !begunAndDropped.has(step) && !this.#isKnownTimer(step, asked));
    return [start, dropped.filter((step) => !begunAndDropped.has(step))];
  }

  /** A timer that was loaded with the workflow keeps its due time. */
  #isKnownTimer(step: AskedStep, asked: readonly AskedStep[]): boolean {
    return step.kind === 'timer' && this.#timers.has(step.number) && !asked.includes(step);
  }

  #toEvent(received: RunInput, now: number): JournalEvent | undefined {
    const common = {
      turn: this.#turn,
      time: now,
      input: undefined,
      result: undefined,
      error: undefined,
      signalId: undefined,
    };
    switch (received.kind) {
      case 'ended': {
        // The workflow may have dropped the step in the meantime: a late answer is ignored.
        const asked = this.execution.pending.get(received.step)?.asked;
        if (asked === undefined) return undefined;
        const { kind, name, input, number: step } = asked;
        if (kind === 'activity' && this.attempts.delete(step)) this.#notes.push(deleteAttempts(this.id, step));
        if (kind === 'timer') this.#notes.push(deleteTimer(this.id, step));
        return { ...common, kind, step, name, input, result: received.result, error: received.error };
      }
      case 'signal': {
        const { name, payload, signalId } = received.mail;
        if (signalId !== undefined && this.execution.signals.hasSeen(signalId)) return undefined;
        return { ...common, kind: 'signal', step: 0, name, result: payload, signalId };
      }
      case 'cancel':
        if (this.execution.cancelReason !== undefined) return undefined;
        return { ...common, kind: 'cancel', step: 0, name: received.reason };
    }
  }

  #patchEvent(change: string, now: number): JournalEvent {
    const nothing = { input: undefined, result: undefined, error: undefined, signalId: undefined };
    return { ...nothing, turn: this.#turn, kind: 'patch', step: 0, name: change, time: now };
  }

  #insertion(event: JournalEvent, position: number): Statement {
    return insertEvent({ workflow: this.id, run: this.record.run, position, event });
  }

  #dropping(step: AskedStep, now: number): Statement[] {
    if (step.kind === 'timer') return [deleteTimer(this.id, step.number)];
    if (step.kind === 'activity')
      return this.attempts.delete(step.number) ? [deleteAttempts(this.id, step.number)] : [];
    const reason = this.execution.cancelReason ?? `its parent ${this.id} no longer waits for it`;
    return [insertMail({ ...EMPTY_MAIL, workflow: step.childId, kind: 'cancel', name: reason, now })];
  }

  #birth(step: Extract<AskedStep, { kind: 'child' }>, now: number): Statement[] {
    const { childId: id, name, input = 'null', number } = step;
    return [
      insertWorkflow({ id, name, input, now, parent: { id: this.id, step: number } }),
      insertMail({ ...EMPTY_MAIL, workflow: id, kind: 'start', now }),
    ];
  }

  /** Written only if it changes: a workflow that goes from step to step keeps its state. */
  #stateChange(end: End | undefined): Statement[] {
    const waiting = !this.#hasPendingActivity;
    if (end !== undefined || (this.#begun && waiting === this.#waiting)) return [];
    this.#waiting = waiting;
    return [setState(this.id, waiting)];
  }

  #ending(end: End, now: number): Statement[] {
    const { run, parent, parentStep: step } = this.record;
    const statements = endRun({ id: this.id, run }, end, now);
    if (parent === undefined || end.kind === 'continued') return statements;
    const [payload, error] = end.kind === 'completed' ? [end.result, undefined] : [undefined, childFailure(end)];
    return [
      ...statements,
      insertMail({ ...EMPTY_MAIL, workflow: parent, kind: 'child', name: this.id, step, payload, error, now }),
    ];
  }

  get #hasPendingActivity(): boolean {
    for (const { asked } of this.execution.pending.values()) if (asked.kind === 'activity') return true;
    return false;
  }
}

const EMPTY_MAIL = { name: '', step: 0, payload: undefined, error: undefined, signalId: undefined };

function childFailure(end: Extract<End, { kind: 'failed' | 'cancelled' }>): StepFailure {
  return end.kind === 'cancelled' ? { code: 'WORKFLOW_CANCELLED', message: end.failure.message } : end.failure;
}
