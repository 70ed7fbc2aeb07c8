import { type Row, type Statement, type Storage, sql } from '#kit/storage';
import type { JournalEvent, StepFailure } from './journal-event.ts';
import { toRecord, type WorkflowRecord, type WorkflowRow } from './workflow-row.ts';

/** Ids per query; at startup, the histories of open workflows are read in portions of this size. */
export const LOAD_PORTION = 100;

/** A message to a workflow that has not been delivered yet. */
export interface Mail {
  readonly seq: number;
  readonly workflow: string;
  readonly kind: 'start' | 'signal' | 'child' | 'cancel' | 'pause' | 'resume';
  readonly name: string;
  readonly step: number;
  readonly payload: string | undefined;
  readonly error: StepFailure | undefined;
  readonly signalId: string | undefined;
}

export interface LoadedWorkflow {
  readonly record: WorkflowRecord;
  readonly history: readonly JournalEvent[];
  readonly timers: ReadonlySet<number>;
  readonly attempts: ReadonlyMap<number, Attempts>;
}

/** The failed attempts of a step so far. */
export interface Attempts {
  readonly attempts: number;
  readonly retryAt: number;
  readonly error: StepFailure;
}

/** The engine's reads. Its writes are the statements in `journal-statements.ts`. */
export class Journal {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async record(id: string, signal: AbortSignal): Promise<WorkflowRecord | undefined> {
    const row = await this.#storage.get<WorkflowRow>(sql`SELECT * FROM durable_workflows WHERE id = ${id}`, signal);
    return row === undefined ? undefined : toRecord(row);
  }

  /** Loads everything about these workflows from one snapshot. Unknown ids are left out. */
  async load(ids: readonly string[], signal: AbortSignal): Promise<LoadedWorkflow[]> {
    return await this.#storage.read(async (reader) => {
      const wanted = sql.list(ids);
      const [workflows, history, timers, attempts] = await Promise.all([
        reader.all<WorkflowRow>(sql`SELECT * FROM durable_workflows WHERE id IN (${wanted})`),
        reader.all<HistoryRow>(historyOf(wanted)),
        reader.all<StepRow>(sql`SELECT workflow, step FROM durable_timers WHERE workflow IN (${wanted})`),
        reader.all<AttemptsRow>(sql`SELECT * FROM durable_attempts WHERE workflow IN (${wanted})`),
      ]);
      const parts = { history: byWorkflow(history), timers: byWorkflow(timers), attempts: byWorkflow(attempts) };
      return workflows.map((row) => assemble(toRecord(row), parts));
    }, signal);
  }

  /** Mail of all workflows, oldest first. Mail of a parked workflow is left out, so that it does not block others. */
  async mail(limit: number, signal: AbortSignal): Promise<Mail[]> {
    const rows = await this.#storage.all<MailRow>(
      sql`SELECT m.* FROM durable_mail m JOIN durable_workflows w ON w.id = m.workflow
        WHERE w.status <> 'parked' ORDER BY m.seq LIMIT ${limit}`,
      signal,
    );
    return rows.map(toMail);
  }

  async dueTimers(now: number, limit: number, signal: AbortSignal): Promise<StepRow[]> {
    return await this.#storage.all<StepRow>(
      sql`SELECT t.workflow, t.step FROM durable_timers t JOIN durable_workflows w ON w.id = t.workflow
        WHERE t.due_at <= ${now} AND w.status <> 'parked' ORDER BY t.due_at LIMIT ${limit}`,
      signal,
    );
  }

  /** When the first timer after this time is due. */
  async nextTimer(now: number, signal: AbortSignal): Promise<number | undefined> {
    const row = await this.#storage.get<Row & { due_at: number | null }>(
      sql`SELECT min(due_at) AS due_at FROM durable_timers WHERE due_at > ${now}`,
      signal,
    );
    return row?.due_at ?? undefined;
  }

  /** Workflows that are not just waiting, ordered by id. */
  async open(after: string, limit: number, signal: AbortSignal): Promise<string[]> {
    const rows = await this.#storage.all<Row & { id: string }>(
      sql`SELECT id FROM durable_workflows WHERE ended_at IS NULL AND waiting = 0 AND id > ${after} ORDER BY id LIMIT ${limit}`,
      signal,
    );
    return rows.map(({ id }) => id);
  }

  /** The parents of these workflows, for those that exist. */
  async parents(ids: readonly string[], signal: AbortSignal): Promise<Map<string, string | null>> {
    const rows = await this.#storage.all<Row & { id: string; parent: string | null }>(
      sql`SELECT id, parent FROM durable_workflows WHERE id IN (${sql.list(ids)})`,
      signal,
    );
    return new Map(rows.map(({ id, parent }) => [id, parent]));
  }

  async history(id: string, run: number, signal: AbortSignal): Promise<JournalEvent[]> {
    const rows = await this.#storage.all<HistoryRow>(
      sql`SELECT * FROM durable_history WHERE workflow = ${id} AND run = ${run} ORDER BY position`,
      signal,
    );
    return rows.map(toEvent);
  }
}

export interface StepRow extends Row {
  readonly workflow: string;
  readonly step: number;
}

interface HistoryRow extends Row {
  readonly workflow: string;
  readonly turn: number;
  readonly kind: JournalEvent['kind'];
  readonly step: number;
  readonly name: string;
  readonly input: string | null;
  readonly result: string | null;
  readonly error: string | null;
  readonly signal_id: string | null;
  readonly time: number;
}

interface AttemptsRow extends StepRow {
  readonly attempts: number;
  readonly retry_at: number;
  readonly error: string;
}

interface MailRow extends Row {
  readonly seq: number;
  readonly workflow: string;
  readonly kind: Mail['kind'];
  readonly name: string;
  readonly step: number;
  readonly payload: string | null;
  readonly error: string | null;
  readonly signal_id: string | null;
}

function historyOf(ids: Statement): Statement {
  return sql`SELECT h.* FROM durable_history h JOIN durable_workflows w ON w.id = h.workflow AND w.run = h.run
    WHERE h.workflow IN (${ids}) ORDER BY h.workflow, h.position`;
}

function byWorkflow<R extends { readonly workflow: string }>(rows: readonly R[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const group = groups.get(row.workflow);
    if (group === undefined) groups.set(row.workflow, [row]);
    else group.push(row);
  }
  return groups;
}

interface Parts {
  readonly history: Map<string, HistoryRow[]>;
  readonly timers: Map<string, StepRow[]>;
  readonly attempts: Map<string, AttemptsRow[]>;
}

function assemble(record: WorkflowRecord, { history, timers, attempts }: Parts): LoadedWorkflow {
  return {
    record,
    history: (history.get(record.id) ?? []).map(toEvent),
    timers: new Set((timers.get(record.id) ?? []).map(({ step }) => step)),
    attempts: new Map(
      (attempts.get(record.id) ?? []).map((row) => [
        row.step,
        { attempts: row.attempts, retryAt: row.retry_at, error: JSON.parse(row.error) as StepFailure },
      ]),
    ),
  };
}

function toEvent(row: HistoryRow): JournalEvent {
  return {
    turn: row.turn,
    kind: row.kind,
    step: row.step,
    name: row.name,
    input: row.input ?? undefined,
    result: row.result ?? undefined,
    error: row.error === null ? undefined : (JSON.parse(row.error) as StepFailure),
    signalId: row.signal_id ?? undefined,
    time: row.time,
  };
}

function toMail(row: MailRow): Mail {
  return {
    seq: row.seq,
    workflow: row.workflow,
    kind: row.kind,
    name: row.name,
    step: row.step,
    payload: row.payload ?? undefined,
    error: row.error === null ? undefined : (JSON.parse(row.error) as StepFailure),
    signalId: row.signal_id ?? undefined,
  };
}
