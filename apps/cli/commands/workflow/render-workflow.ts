import { assertNever } from '#kit/std';
import type { WorkflowResource, WorkflowWaitResource } from '#protocol/api';
import { printable } from '../../output/printable.ts';
import { renderTable } from '../../output/render-table.ts';
import { renderTimeFrom } from '../../output/render-time.ts';
import { shorten } from '../../output/shorten.ts';

const PAYLOAD_LENGTH = 200;
const ERROR_LENGTH = 120;

/** A workflow for a person who wants to know how it is, what it waits for and what lets it go on. */
export function renderWorkflow(workflow: WorkflowResource, now: number): string {
  const { waitingFor } = workflow;
  const parts = [facts(workflow, now)];
  const word = wordOn(workflow);
  if (word !== undefined) parts.push(`${word}\n`);
  if (waitingFor.length > 0) {
    const rows = waitingFor.map((waiting) => waitRow(waiting, now));
    parts.push(`It waits for:\n${renderTable(['STEP', 'KIND', 'NAME', 'SINCE', 'GOES ON WHEN'], rows)}`);
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

/** What the status means for what comes next, where that is not plain. */
function wordOn({ id, status, waitingFor }: WorkflowResource): string | undefined {
  switch (status) {
    case 'running':
      if (waitingFor.length > 0) return undefined;
      return 'It waits for nothing, so it is about to move. If that stays so, look whether a process executes workflows: /readyz says so.';
    case 'paused':
      return `It is paused: nothing new starts until "fleetshift workflow resume ${quoted(id)}".`;
    case 'parked':
      return 'It is parked: the code at hand cannot replay its history. It goes on by itself once code that can is started.';
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
      return until === undefined ? 'its time comes' : `its time comes: ${renderTimeFrom(until, now)}`;
    case 'signal':
      return `it is sent the signal ${JSON.stringify(name)}`;
    case 'child':
      return `the child ends; find it with "fleetshift workflow list --name ${quoted(name)}"`;
    default:
      return assertNever(kind, 'wait');
  }
}

function afterTry({ attempt = 1, until, lastError }: WorkflowWaitResource, now: number): string {
  const comes = until !== undefined && Date.parse(until) > now;
  const state = comes ? `begins ${renderTimeFrom(until, now)}` : 'is under way';
  const before = lastError === undefined ? '' : `; the last said ${lastError.code}: ${lastError.message}`;
  return `it succeeds: try ${attempt} ${state}${shorten(before, ERROR_LENGTH)}`;
}

function payload(value: unknown): string {
  return shorten(JSON.stringify(value), PAYLOAD_LENGTH);
}

/** As a shell takes it for one word. */
function quoted(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
