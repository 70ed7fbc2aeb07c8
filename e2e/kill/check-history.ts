import assert from 'node:assert/strict';
import type { WorkspaceResource } from '#protocol/api';
import type { StreamedEvent } from '../follow-events.ts';
import { type Attempt, describeAttempt } from './attempt.ts';

/** The state a platform shows while no client writes. */
export interface Observed {
  /** All events, from the first one. */
  readonly events: readonly StreamedEvent[];
  readonly workspaces: readonly WorkspaceResource[];
}

/**
 * Checks that the platform's state matches what its clients know. Every acknowledged write is there, with its event
 * exactly once and in order; there is nothing that no client requested; and replaying the events gives the same tree.
 *
 * Returns the event of each attempt that has one.
 */
export function checkHistory(
  { events, workspaces }: Observed,
  attempts: readonly Attempt[],
): ReadonlyMap<Attempt, StreamedEvent> {
  checkPositions(events);
  checkTree(events, workspaces);
  const told = matchEvents(events, attempts);
  for (const attempt of attempts) checkAttempt(attempt, told.get(attempt));
  checkOrder(attempts, told);
  return told;
}

function checkPositions(events: readonly StreamedEvent[]): void {
  const ids = new Set<string>();
  let last = 0;
  for (const { position, id } of events) {
    assert.ok(position > last, `event ${position} came after event ${last}`);
    assert.ok(!ids.has(id), `the event ${id} was told twice`);
    ids.add(id);
    last = position;
  }
}

/** An event without its change, or a change without its event, makes the two trees differ. */
function checkTree(events: readonly StreamedEvent[], workspaces: readonly WorkspaceResource[]): void {
  const told = new Map<string, WorkspaceResource>();
  for (const event of events) apply(event, told);
  const byName = (left: WorkspaceResource, right: WorkspaceResource): number => (left.name < right.name ? -1 : 1);
  // The root exists from the first start, without an event.
  const stored = workspaces.filter(({ name }) => name !== 'root');
  assert.deepEqual([...told.values()].toSorted(byName), stored.toSorted(byName), 'the events tell another tree');
}

function apply(
  { type, position, subject, workspace, data }: StreamedEvent,
  tree: Map<string, WorkspaceResource>,
): void {
  const now = data as unknown as WorkspaceResource;
  const before = tree.get(now.name);
  assert.deepEqual(
    [subject, workspace],
    [`workspaces/${now.name}`, now.name],
    `event ${position} is about something else than its data`,
  );
  if (type === 'workspace.created') {
    assert.equal(before, undefined, `event ${position} creates ${now.name}, which is there`);
    assert.equal(now.generation, 1, `event ${position} creates ${now.name} with a past`);
    tree.set(now.name, now);
    return;
  }
  assert.equal(before?.uid, now.uid, `event ${position}, ${type}, is about a ${now.name} that is not there`);
  if (type === 'workspace.deleted') {
    assert.deepEqual(now, before, `event ${position} deletes another state of ${now.name} than the last`);
    tree.delete(now.name);
    return;
  }
  assert.equal(
    now.generation,
    (before?.generation ?? 0) + 1,
    `a change of ${now.name} before event ${position} is missing`,
  );
  tree.set(now.name, now);
}

function matchEvents(events: readonly StreamedEvent[], attempts: readonly Attempt[]): Map<Attempt, StreamedEvent> {
  const writes = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  const deletes = new Map(
    attempts.flatMap((attempt) =>
      attempt.write.kind === 'delete' && attempt.outcome.kind !== 'nothing' ? [[attempt.write.uid, attempt]] : [],
    ),
  );
  const told = new Map<Attempt, StreamedEvent>();
  for (const event of events) {
    const { labels, uid } = event.data as unknown as WorkspaceResource;
    const attempt = event.type === 'workspace.deleted' ? deletes.get(uid) : writes.get(labels['attempt'] ?? '');
    assert.ok(attempt, `nobody asked for event ${event.position}, ${event.type} of ${event.workspace}`);
    assert.equal(event.type, TYPES[attempt.write.kind], `the event of the ${describeAttempt(attempt)}`);
    assert.ok(!told.has(attempt), `the ${describeAttempt(attempt)} was told twice`);
    told.set(attempt, event);
  }
  return told;
}

const TYPES = { create: 'workspace.created', patch: 'workspace.updated', delete: 'workspace.deleted' } as const;

function checkAttempt(attempt: Attempt, event: StreamedEvent | undefined): void {
  const { outcome } = attempt;
  if (outcome.kind === 'unknown') return;
  if (outcome.kind === 'nothing') {
    assert.equal(event, undefined, `the ${describeAttempt(attempt)} came to nothing, and has an event`);
    return;
  }
  assert.ok(event, `the ${describeAttempt(attempt)} was acknowledged and is lost`);
  if (outcome.made !== undefined) {
    assert.deepEqual(
      event.data,
      outcome.made,
      `the ${describeAttempt(attempt)} was acknowledged otherwise than it is told`,
    );
  }
}

/** A writer that waits for each answer finds its events in the order of its requests. */
function checkOrder(attempts: readonly Attempt[], told: ReadonlyMap<Attempt, StreamedEvent>): void {
  const last = new Map<string, number>();
  for (const attempt of attempts) {
    const position = told.get(attempt)?.position;
    if (position === undefined) continue;
    const before = last.get(attempt.writer) ?? 0;
    assert.ok(position > before, `the ${describeAttempt(attempt)} is told at ${position}, before ${before}`);
    last.set(attempt.writer, position);
  }
}
