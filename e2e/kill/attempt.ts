import assert from 'node:assert/strict';
import type { WorkspaceResource } from '#protocol/api';
import type { Platform } from '#testing/platform-process';

/** One write that a client requests, and what it knows of the outcome. */
export interface Attempt {
  /** Stored in the label `attempt` by a create or patch, so that its event can be found. */
  readonly id: string;
  /** A writer has one attempt in flight at a time. */
  readonly writer: string;
  readonly write: Write;
  outcome: Outcome;
}

/** `expects` is the status of a correct platform's answer, if one comes. */
export type Write = { readonly name: string; readonly expects: number } & (
  | { readonly kind: 'create'; readonly body: NewWorkspace; readonly key: string }
  | { readonly kind: 'patch'; readonly body: Pick<NewWorkspace, 'labels'>; readonly ifMatch?: string }
  | { readonly kind: 'delete'; readonly uid: string; readonly ifMatch?: string }
);

export interface NewWorkspace {
  readonly name: string;
  readonly parent: string;
  readonly labels: Readonly<Record<string, string>>;
}

export type Outcome =
  /** No answer came. */
  | { readonly kind: 'unknown' }
  /** Acknowledged, or found done after the crash; with the resulting workspace, if one is left. */
  | { readonly kind: 'done'; readonly made: WorkspaceResource | undefined }
  /** Refused, or found not done after the crash. */
  | { readonly kind: 'nothing' };

/** Sends the write and records the outcome. Returns false if the platform went away before it answered. */
export async function send(platform: Platform, attempt: Attempt): Promise<boolean> {
  const answer = await ask(platform, attempt.write);
  if (answer === undefined) return false;
  const { status, body } = answer;
  assert.equal(status, attempt.write.expects, `${describeAttempt(attempt)} was answered ${status} ${body}`);
  attempt.outcome = status < 300 ? { kind: 'done', made: parse(body) } : { kind: 'nothing' };
  return true;
}

interface Again {
  readonly made: WorkspaceResource | undefined;
  readonly replayed: boolean;
}

/** Repeats the create with its idempotency key. Returns the workspace, and whether an earlier request created it. */
export async function sendAgain(platform: Platform, attempt: Attempt): Promise<Again> {
  const answer = await ask(platform, attempt.write);
  assert.equal(answer?.status, 201, `${describeAttempt(attempt)} again was answered ${answer?.status} ${answer?.body}`);
  return { made: parse(answer?.body ?? ''), replayed: answer?.replayed ?? false };
}

export function describeAttempt({ id, write }: Attempt): string {
  return `${write.kind} of ${write.name} (attempt ${id})`;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly replayed: boolean;
}

async function ask(platform: Platform, write: Write): Promise<Answer | undefined> {
  const path = write.kind === 'create' ? '/v1/workspaces' : `/v1/workspaces/${write.name}`;
  try {
    const response = await platform.request(path, {
      method: { create: 'POST', patch: 'PATCH', delete: 'DELETE' }[write.kind],
      headers: headersOf(write),
      ...(write.kind === 'delete' ? {} : { body: write.body }),
    });
    const replayed = response.headers.get('idempotency-replayed') === 'true';
    return { status: response.status, body: await response.text(), replayed };
  } catch (error) {
    // `fetch` throws this when a connection breaks. A partial answer counts as none: the rest could say anything.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function headersOf(write: Write): Record<string, string> {
  if (write.kind === 'create') return { 'idempotency-key': write.key };
  return write.ifMatch === undefined ? {} : { 'if-match': `"${write.ifMatch}"` };
}

function parse(body: string): WorkspaceResource | undefined {
  return body === '' ? undefined : (JSON.parse(body) as WorkspaceResource);
}
