import { assertNever } from '#kit/std';
import type { WorkflowResource, WorkflowWaitResource } from '#protocol/api';
import { printable } from '../../../output/printable.ts';
import { renderTable } from '../../../output/render-table.ts';
import { renderTimeFrom } from '../../../output/render-time.ts';
import { shorten } from '../../../output/shorten.ts';

const PAYLOAD_LENGTH = 200;
const ERROR_LENGTH = 120;

/** Shows a person the state of a workflow, what it waits for, and what lets it continue. */
export function renderWorkflow(workflow: WorkflowResource, now: number): string {
  const { waitingFor } = workflow;
  const parts = [facts(workflow, now)];
  const word = wordOn(workflow);
  if (word !== undefined) parts.push(`${word}\n`);
  if (waitingFor.length > 0) {
    const rows = waitingFor.map((waiting) => waitRow(waiting, now));
    parts.push(`Waiting for:\n${renderTable(['STEP', 'KIND', 'NAME', 'SINCE', 'CONTINUES WHEN'], rows)}`);
  }
  return parts.join('\n');
}

function facts(workflow: WorkflowResource, now: number): string {
  const { id, name, status, startTime, endTime, run, parent, reason, input, result, historyLength } = workflow;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Id', id],
    ['Workflow', name],
    ['Status', status],
    ['Reason', reason && `${reason.code}: ${reason.message}`],
    ['Started', renderTimeFrom(startTime, now)],
    ['Ended', endTime && renderTimeFrom(endTime, now)],
    ['Parent', parent],
    ['Input', payload(input)],
    ['Result', result === undefined ? undefined : payload(result)],
    ['History', `${historyLength} ${historyLength === 1 ? 'event' : 'events'}${run > 1 ? ` in run ${run}` : ''}`],
  ];
  return rows
    .flatMap(([label, value]) => (value === undefined ? [] : [`${label.padEnd(10)}${printable(value)}\n`]))
    .join('');
}

/** The meaning of the status for what comes next, where it is not obvious. */
function wordOn({ id, status, waitingFor }: WorkflowResource): string | undefined {
  switch (status) {
    case 'running':
      if (waitingFor.length > 0) return undefined;
      return 'It waits for nothing, so it is about to continue. If this persists, check /readyz: a process must be executing workflows.';
    case 'paused':
      return `It is paused: nothing new starts until "fleetshift workflow resume ${quoted(id)}".`;
    case 'parked':
      return 'It is parked: the current code cannot replay its history. It resumes by itself once matching code is started.';
    case 'completed':
    case 'failed':
    case 'cancelled':
      return undefined;
    default:
      return assertNever(status, 'workflow status');
  }
}

function waitRow(waiting: WorkflowWaitResource, now: number): string[] {
  const { kind, name, step, since } = waiting;
  const asked = since === undefined ? '-' : renderTimeFrom(since, now);
  return [step === 0 ? '-' : String(step), kind, name || '-', asked, goesOnWhen(waiting, now)];
}

function goesOnWhen(waiting: WorkflowWaitResource, now: number): string {
  const { kind, name, until } = waiting;
  switch (kind) {
    case 'activity':
      return afterTry(waiting, now);
    case 'timer':
      return until === undefined ? 'the timer fires' : `the timer fires: ${renderTimeFrom(until, now)}`;
    case 'signal':
      return `it receives the signal ${JSON.stringify(name)}`;
    case 'child':
      return `the child ends; find it with "fleetshift workflow list --name ${quoted(name)}"`;
    default:
      return assertNever(kind, 'wait');
  }
}

function afterTry({ attempt = 1, until, lastError }: WorkflowWaitResource, now: number): string {
  const comes = until !== undefined && Date.parse(until) > now;
  const state = comes ? `starts ${renderTimeFrom(until, now)}` : 'is in progress';
  const before = lastError === undefined ? '' : `; the last error was ${lastError.code}: ${lastError.message}`;
  return `it succeeds: attempt ${attempt} ${state}${shorten(before, ERROR_LENGTH)}`;
}

function payload(value: unknown): string {
  return shorten(JSON.stringify(value), PAYLOAD_LENGTH);
}

/** Quoted for a shell. */
function quoted(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
