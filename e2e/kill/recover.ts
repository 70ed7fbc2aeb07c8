import assert from 'node:assert/strict';
import type { WorkspaceResource } from '#protocol/api';
import type { Platform } from '#testing/platform-process';
import type { SeededRandom } from '#testing/seeded';
import { followEvents, type StreamedEvent } from '../follow-events.ts';
import { type Attempt, describeAttempt, send, sendAgain } from './attempt.ts';
import { checkHistory } from './check-history.ts';

/** The knowledge of the clients. */
export interface Memory {
  /** In the order in which they were started. */
  readonly attempts: Attempt[];
  /** The last event a client has seen; it resumes after that one. */
  lastSeen: StreamedEvent | undefined;
}

/** How many of all acknowledged creates are sent again. */
const RETRIES = 5;

/** Checks the state after a crash, and resolves the attempts that were not answered. */
export async function recover(platform: Platform, memory: Memory, random: SeededRandom): Promise<void> {
  const fence = await createOne(platform, memory.attempts, `fence-${memory.attempts.length}`);
  const events = await eventsUpTo(fence, platform, '?from=beginning');
  const { lastSeen } = memory;
  const from = lastSeen === undefined ? 'from=beginning' : `lastEventId=${lastSeen.resumeId}`;
  const resumed = await eventsUpTo(fence, platform, `?${from}`);
  const seen = lastSeen === undefined ? 0 : events.findIndex(({ id }) => id === lastSeen.id) + 1;
  assert.ok(lastSeen === undefined || seen > 0, 'an event that was seen is no longer told');
  assert.deepEqual(idsOf(resumed), idsOf(events.slice(seen)), 'whoever resumes is told something else');
  memory.lastSeen = events.at(-1);

  const told = checkHistory({ events, workspaces: await listWorkspaces(platform) }, memory.attempts);
  const unanswered = memory.attempts.filter(({ outcome }) => outcome.kind === 'unknown');
  for (const attempt of unanswered) settle(attempt, told.get(attempt));
  const answered = memory.attempts.filter(({ write, outcome }) => write.kind === 'create' && outcome.kind === 'done');
  const lost = unanswered.filter(({ write }) => write.kind === 'create');
  for (const attempt of [...lost, ...random.shuffled(answered).slice(0, RETRIES)]) await retry(platform, attempt);
}

export async function createOne(platform: Platform, attempts: Attempt[], name: string): Promise<WorkspaceResource> {
  const id = String(attempts.length);
  const body = { name, parent: 'root', labels: { attempt: id } };
  const write = { kind: 'create', name, body, key: `setup:${id}`, expects: 201 } as const;
  const attempt: Attempt = { id, writer: 'setup', write, outcome: { kind: 'unknown' } };
  attempts.push(attempt);
  const answered = await send(platform, attempt);
  assert.ok(answered && attempt.outcome.kind === 'done' && attempt.outcome.made, `create ${name}`);
  return attempt.outcome.made;
}

export async function listWorkspaces(platform: Platform): Promise<WorkspaceResource[]> {
  const all: WorkspaceResource[] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const answer = await platform.request(`/v1/workspaces?pageSize=1000${token && `&pageToken=${token}`}`);
    const page = (await answer.json()) as { items: WorkspaceResource[]; nextPageToken?: string };
    all.push(...page.items);
    token = page.nextPageToken;
  }
  return all;
}

function idsOf(events: readonly StreamedEvent[]): string[] {
  return events.map(({ id }) => id);
}

/**
 * No client writes any more, and every write committed before this workspace was created has its event before the
 * workspace's.
 */
async function eventsUpTo({ uid }: WorkspaceResource, platform: Platform, query: string): Promise<StreamedEvent[]> {
  const events: StreamedEvent[] = [];
  for await (const event of followEvents(platform, query)) {
    // The platform also creates its own objects at its first start.
    if (event.type.startsWith('workspace.')) events.push(event);
    if (event.data['uid'] === uid) return events;
  }
  throw new Error(`follow events to the creation of ${uid}: the stream ended before it`);
}

/** From now on the attempt counts as done or not done. If it takes effect later after all, the next check finds it. */
function settle(attempt: Attempt, event: StreamedEvent | undefined): void {
  if (event === undefined) attempt.outcome = { kind: 'nothing' };
  else attempt.outcome = { kind: 'done', made: event.data as unknown as WorkspaceResource };
}

async function retry(platform: Platform, attempt: Attempt): Promise<void> {
  const { outcome } = attempt;
  const { made, replayed } = await sendAgain(platform, attempt);
  assert.equal(replayed, outcome.kind === 'done', `the ${describeAttempt(attempt)} again, after ${outcome.kind}`);
  if (outcome.kind === 'done') assert.deepEqual(made, outcome.made, `the ${describeAttempt(attempt)} again`);
  else attempt.outcome = { kind: 'done', made };
}
