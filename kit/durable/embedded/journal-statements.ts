import { type Statement, sql } from '#kit/storage';
import type { WorkflowFailure } from '../engine.ts';
import type { Attempts, Mail } from './journal.ts';
import type { End, JournalEvent } from './journal-event.ts';

/** Topics that wake the executor and the callers that wait for an end. */
export const MAIL_CAME = 'durable.mail';
export const WORKFLOW_ENDED = 'durable.ended';

export interface NewWorkflow {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly now: number;
  readonly parent?: { readonly id: string; readonly step: number };
}

/** Does nothing if the id is taken: the caller checks the number of rows. */
export function insertWorkflow({ id, name, input, now, parent }: NewWorkflow): Statement {
  return sql`INSERT INTO durable_workflows
      (id, name, run, status, paused, begun, waiting, input, started_at, run_started_at, parent, parent_step)
    VALUES (${id}, ${name}, ${1}, ${'running'}, ${0}, ${0}, ${0}, ${input}, ${now}, ${now}, ${parent?.id ?? null}, ${parent?.step ?? null})
    ON CONFLICT (id) DO NOTHING`;
}

export type NewMail = Omit<Mail, 'seq'> & { readonly now: number };

export function insertMail({ workflow, kind, name, step, payload, error, signalId, now }: NewMail): Statement {
  return sql.announce(
    MAIL_CAME,
    sql`INSERT INTO durable_mail (workflow, kind, name, step, payload, error, signal_id, time)
      VALUES (${workflow}, ${kind}, ${name}, ${step}, ${payload ?? null}, ${textOf(error)}, ${signalId ?? null}, ${now})
      ON CONFLICT DO NOTHING`,
  );
}

/** Stores nothing if the workflow has ended or has this signal id already: the caller checks the number of rows. */
export function insertSignalUnlessEnded({ workflow, name, payload, signalId, now }: NewMail): Statement {
  return sql.announce(
    MAIL_CAME,
    sql`INSERT INTO durable_mail (workflow, kind, name, step, payload, signal_id, time)
      SELECT id, 'signal', ${name}, 0, ${payload ?? null}, ${signalId ?? null}, CAST(${now} AS BIGINT)
      FROM durable_workflows WHERE id = ${workflow} AND ended_at IS NULL
      ON CONFLICT DO NOTHING`,
  );
}

export function deleteMail(seqs: readonly number[]): Statement {
  return sql`DELETE FROM durable_mail WHERE seq IN (${sql.list(seqs)})`;
}

export interface PlacedEvent {
  readonly workflow: string;
  readonly run: number;
  readonly position: number;
  readonly event: JournalEvent;
}

export function insertEvent({ workflow, run, position, event }: PlacedEvent): Statement {
  const { turn, kind, step, name, input = null, result = null, error, signalId = null, time } = event;
  return sql`INSERT INTO durable_history
      (workflow, run, position, turn, kind, step, name, input, result, error, signal_id, time)
    VALUES (${workflow}, ${run}, ${position}, ${turn}, ${kind}, ${step}, ${name}, ${input}, ${result}, ${textOf(error)}, ${signalId}, ${time})`;
}

export function insertTimer(workflow: string, step: number, dueAt: number): Statement {
  return sql`INSERT INTO durable_timers (workflow, step, due_at) VALUES (${workflow}, ${step}, ${dueAt})
    ON CONFLICT (workflow, step) DO NOTHING`;
}

export function deleteTimer(workflow: string, step: number): Statement {
  return sql`DELETE FROM durable_timers WHERE workflow = ${workflow} AND step = ${step}`;
}

export function saveAttempts(workflow: string, step: number, { attempts, retryAt, error }: Attempts): Statement {
  return sql`INSERT INTO durable_attempts (workflow, step, attempts, retry_at, error)
    VALUES (${workflow}, ${step}, ${attempts}, ${retryAt}, ${textOf(error)})
    ON CONFLICT (workflow, step) DO UPDATE SET attempts = excluded.attempts, retry_at = excluded.retry_at, error = excluded.error`;
}

export function deleteAttempts(workflow: string, step: number): Statement {
  return sql`DELETE FROM durable_attempts WHERE workflow = ${workflow} AND step = ${step}`;
}

/** The body has run up to a wait; `waiting` if only mail or a timer can continue it. */
export function setState(workflow: string, waiting: boolean): Statement {
  return sql`UPDATE durable_workflows SET begun = ${1}, waiting = ${waiting} WHERE id = ${workflow}`;
}

export function setPaused(workflow: string, paused: boolean): Statement {
  return sql`UPDATE durable_workflows SET paused = ${paused} WHERE id = ${workflow}`;
}

/** The workflow stays open, and is tried again at the next start. */
export function parkWorkflow(workflow: string, reason: WorkflowFailure): Statement {
  return sql`UPDATE durable_workflows SET status = ${'parked'}, reason = ${textOf(reason)}, waiting = ${0} WHERE id = ${workflow}`;
}

export function unparkWorkflow(workflow: string): Statement {
  return sql`UPDATE durable_workflows SET status = ${'running'}, reason = NULL WHERE id = ${workflow}`;
}

/** Ends a run: its timers and attempts are deleted; a next run begins with an empty history. */
export function endRun(workflow: { readonly id: string; readonly run: number }, end: End, now: number): Statement[] {
  const { id, run } = workflow;
  const clear = [
    sql`DELETE FROM durable_timers WHERE workflow = ${id}`,
    sql`DELETE FROM durable_attempts WHERE workflow = ${id}`,
  ];
  if (end.kind === 'continued') {
    const carried = end.carried.length === 0 ? null : JSON.stringify(end.carried);
    return [
      ...clear,
      sql`UPDATE durable_workflows SET run = ${run + 1}, input = ${end.input}, carried = ${carried}, begun = ${0}, waiting = ${0},
          run_started_at = ${now} WHERE id = ${id}`,
      sql`DELETE FROM durable_history WHERE workflow = ${id} AND run = ${run}`,
    ];
  }
  const result = end.kind === 'completed' ? (end.result ?? null) : null;
  const reason = end.kind === 'completed' ? null : textOf(end.failure);
  return [
    ...clear,
    sql`DELETE FROM durable_mail WHERE workflow = ${id}`,
    sql.announce(
      WORKFLOW_ENDED,
      sql`UPDATE durable_workflows SET status = ${end.kind}, result = ${result}, reason = ${reason}, waiting = ${1},
        ended_at = ${now} WHERE id = ${id}`,
    ),
  ];
}

function textOf(value: WorkflowFailure | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
