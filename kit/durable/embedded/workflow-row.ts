import type { Row } from '#kit/storage';
import type { WorkflowFailure, WorkflowStatus, WorkflowSummary } from '../engine.ts';
import type { CarriedSignal } from '../signal-box.ts';

/** A workflow as stored in its row. */
export interface WorkflowRecord {
  readonly id: string;
  readonly name: string;
  readonly run: number;
  readonly status: WorkflowStatus;
  readonly paused: boolean;
  /** The body has run up to its first wait. */
  readonly begun: boolean;
  readonly waiting: boolean;
  readonly input: string;
  readonly carried: readonly CarriedSignal[];
  readonly result: string | undefined;
  readonly reason: WorkflowFailure | undefined;
  readonly startedAt: number;
  readonly runStartedAt: number;
  readonly endedAt: number | undefined;
  readonly parent: string | undefined;
  readonly parentStep: number;
}

export interface WorkflowRow extends Row {
  readonly id: string;
  readonly name: string;
  readonly run: number;
  readonly status: WorkflowStatus;
  readonly paused: number;
  readonly begun: number;
  readonly waiting: number;
  readonly input: string;
  readonly carried: string | null;
  readonly result: string | null;
  readonly reason: string | null;
  readonly started_at: number;
  readonly run_started_at: number;
  readonly ended_at: number | null;
  readonly parent: string | null;
  readonly parent_step: number | null;
}

export function toRecord(row: WorkflowRow): WorkflowRecord {
  return {
    id: row.id,
    name: row.name,
    run: row.run,
    status: row.status,
    paused: row.paused === 1,
    begun: row.begun === 1,
    waiting: row.waiting === 1,
    input: row.input,
    carried: row.carried === null ? [] : (JSON.parse(row.carried) as CarriedSignal[]),
    result: row.result ?? undefined,
    reason: row.reason === null ? undefined : (JSON.parse(row.reason) as WorkflowFailure),
    startedAt: row.started_at,
    runStartedAt: row.run_started_at,
    endedAt: row.ended_at ?? undefined,
    parent: row.parent ?? undefined,
    parentStep: row.parent_step ?? 0,
  };
}

export function toSummary(record: WorkflowRecord): WorkflowSummary {
  const { id, name, run, startedAt, endedAt, parent, reason } = record;
  return {
    id,
    name,
    run,
    status: record.status === 'running' && record.paused ? 'paused' : record.status,
    startTime: startedAt,
    ...(endedAt !== undefined && { endTime: endedAt }),
    ...(parent !== undefined && { parent }),
    ...(reason !== undefined && { reason }),
  };
}
