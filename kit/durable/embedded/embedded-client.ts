import { type Clock, systemClock } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import type { Payload } from '../activity.ts';
import { DurableError } from '../durable-error.ts';
import type {
  Message,
  SignalOptions,
  SignalWithStartOptions,
  StartOptions,
  WorkflowClient,
  WorkflowDescription,
  WorkflowFailure,
  WorkflowQuery,
  WorkflowSummary,
} from '../engine.ts';
import { toFailure, workflowCancelled, workflowFailed } from '../failure.ts';
import type { HistoryEntry } from '../history.ts';
import { checkedId, checkedName, decodePayload, encodePayload } from '../payload.ts';
import type { AnyWorkflow, Workflow } from '../workflow.ts';
import { drained } from './drained.ts';
import { begin } from './embedded-context.ts';
import { EndWatch } from './end-watch.ts';
import type { Execution } from './execution.ts';
import { Journal, type LoadedWorkflow } from './journal.ts';
import { insertMail, insertSignalUnlessEnded, insertWorkflow, MAIL_CAME, type NewMail } from './journal-statements.ts';
import { replayAll } from './replay.ts';
import { toRecord, toSummary, type WorkflowRecord, type WorkflowRow } from './workflow-row.ts';

export interface EmbeddedClientOptions {
  readonly storage: Storage;
  readonly workflows: ReadonlyMap<string, AnyWorkflow>;
  readonly clock?: Clock;
}

/** Works on the database alone, so every process with access to it can start and control workflows, including a standby. */
export class EmbeddedClient implements WorkflowClient {
  readonly #storage: Storage;
  readonly #workflows: ReadonlyMap<string, AnyWorkflow>;
  readonly #clock: Clock;
  readonly #journal: Journal;
  readonly #ends: EndWatch;

  constructor({ storage, workflows, clock = systemClock }: EmbeddedClientOptions) {
    this.#storage = storage;
    this.#workflows = workflows;
    this.#clock = clock;
    this.#journal = new Journal(storage);
    this.#ends = new EndWatch(storage);
  }

  async start<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    options: StartOptions<I>,
    signal: AbortSignal,
  ): Promise<void> {
    const id = checkedId(options.id);
    const input = encodePayload(options.input, `the input of ${id}`) ?? 'null';
    const now = this.#clock.now();
    const [inserted] = await this.#storage.commit(
      [insertWorkflow({ id, name: workflow.name, input, now }), insertMail(mail(id, 'start', now))],
      signal,
    );
    if (inserted === 1) return await this.#tellExecutor(signal);
    const there = await this.#existing(id, signal);
    if (there.name === workflow.name) return;
    throw new DurableError('WORKFLOW_EXISTS', `the id ${id} belongs to a workflow ${there.name}`);
  }

  async result(id: string, signal: AbortSignal): Promise<Payload | undefined> {
    const record = await this.#existing(id, signal);
    return outcomeOf(record.endedAt === undefined ? await this.#ends.ended(id, signal) : record);
  }

  async signal(id: string, message: Message & SignalOptions, signal: AbortSignal): Promise<void> {
    await this.#send(signalMail(id, message, this.#clock.now()), signal);
  }

  async signalWithStart<I extends Payload, O extends Payload | undefined>(
    workflow: Workflow<I, O>,
    { message, ...options }: SignalWithStartOptions<I>,
    signal: AbortSignal,
  ): Promise<'sent' | 'ended'> {
    const id = checkedId(options.id);
    const input = encodePayload(options.input, `the input of ${id}`) ?? 'null';
    const now = this.#clock.now();
    const [, sent] = await this.#storage.commit(
      [insertWorkflow({ id, name: workflow.name, input, now }), insertSignalUnlessEnded(signalMail(id, message, now))],
      signal,
    );
    // A signal whose id is known already is not stored either.
    if (sent === 0) return (await this.#existing(id, signal)).endedAt === undefined ? 'sent' : 'ended';
    await this.#tellExecutor(signal);
    return 'sent';
  }

  async cancel(id: string, reason: string, signal: AbortSignal): Promise<void> {
    const name = checkedName(reason, 'the reason of a cancel');
    await this.#send({ ...mail(id, 'cancel', this.#clock.now()), name }, signal);
  }

  async pause(id: string, signal: AbortSignal): Promise<void> {
    await this.#send(mail(id, 'pause', this.#clock.now()), signal);
  }

  async resume(id: string, signal: AbortSignal): Promise<void> {
    await this.#send(mail(id, 'resume', this.#clock.now()), signal);
  }

  async query(id: string, name: string, signal: AbortSignal): Promise<Payload> {
    const { execution } = await this.#replay(id, signal);
    const answer = execution.queries.get(name);
    if (answer === undefined) throw new DurableError('QUERY_UNKNOWN', `workflow ${id} answers no query ${name}`);
    return answer();
  }

  async describe(id: string, signal: AbortSignal): Promise<WorkflowDescription> {
    const loaded = await this.#load(id, signal);
    const { record, history, attempts } = loaded;
    const described = {
      ...toSummary(record),
      input: decodePayload(record.input) ?? null,
      historyLength: history.length,
      ...(record.result !== undefined && { result: decodePayload(record.result) ?? null }),
    };
    if (record.endedAt !== undefined || record.status === 'parked') return { ...described, waitingFor: [] };
    const [replayed] = await replayAll([loaded], this.#workflows);
    if (replayed?.kind !== 'replayed') {
      // Nothing has reached the workflow since the code changed; the executor will park it at the next event.
      return { ...described, status: 'parked', reason: toFailure(replayed?.error), waitingFor: [] };
    }
    const waitingFor = replayed.execution.waitingFor().map((waiting) => {
      if (waiting.kind !== 'activity') return waiting;
      const tries = attempts.get(waiting.step);
      return tries === undefined
        ? { ...waiting, attempt: 1 }
        : { ...waiting, attempt: tries.attempts + 1, until: tries.retryAt, lastError: failureOf(tries.error) };
    });
    return { ...described, waitingFor };
  }

  async list(query: WorkflowQuery, signal: AbortSignal): Promise<{ items: WorkflowSummary[]; nextPageToken?: string }> {
    const rows = await this.#storage.all<WorkflowRow>(listing(query), signal);
    const items = rows.slice(0, query.pageSize).map((row) => toSummary(toRecord(row)));
    const last = items.at(-1);
    if (rows.length <= query.pageSize || last === undefined) return { items };
    return { items, nextPageToken: Buffer.from(JSON.stringify([last.startTime, last.id])).toString('base64url') };
  }

  async history(id: string, signal: AbortSignal): Promise<HistoryEntry[]> {
    const { run } = await this.#existing(id, signal);
    const events = await this.#journal.history(id, run, signal);
    return events.map(({ kind, step, name, input, result, error, time }) => ({
      kind,
      step,
      name,
      ...(input !== undefined && { input: decodePayload(input) ?? null }),
      ...(result !== undefined && { result: decodePayload(result) ?? null }),
      ...(error !== undefined && { error: { code: error.code, message: error.message } }),
      time,
    }));
  }

  async #existing(id: string, signal: AbortSignal): Promise<WorkflowRecord> {
    const record = await this.#journal.record(id, signal);
    if (record === undefined) throw new DurableError('WORKFLOW_NOT_FOUND', `no workflow ${id}`);
    return record;
  }

  async #load(id: string, signal: AbortSignal): Promise<LoadedWorkflow> {
    const [loaded] = await this.#journal.load([id], signal);
    if (loaded === undefined) throw new DurableError('WORKFLOW_NOT_FOUND', `no workflow ${id}`);
    return loaded;
  }

  async #replay(id: string, signal: AbortSignal): Promise<{ execution: Execution }> {
    return await this.#replayLoaded(await this.#load(id, signal));
  }

  /** The state of an ended workflow is that of its last turn. */
  async #replayLoaded(loaded: LoadedWorkflow): Promise<{ execution: Execution }> {
    const [replayed] = await replayAll([loaded], this.#workflows);
    if (replayed?.kind === 'replayed') {
      if (!loaded.record.begun) await begun(replayed.execution);
      return replayed;
    }
    const message = replayed?.error instanceof Error ? replayed.error.message : 'it cannot be replayed';
    throw new DurableError('WORKFLOW_PARKED', `workflow ${loaded.record.id}: ${message}`, { cause: replayed?.error });
  }

  async #send(message: Parameters<typeof insertMail>[0], signal: AbortSignal): Promise<void> {
    const { endedAt } = await this.#existing(message.workflow, signal);
    if (endedAt !== undefined) throw new DurableError('WORKFLOW_ENDED', `workflow ${message.workflow} has ended`);
    await this.#storage.commit([insertMail(message)], signal);
    await this.#tellExecutor(signal);
  }

  /** The executor may be in another process. */
  async #tellExecutor(signal: AbortSignal): Promise<void> {
    if (this.#storage.engine !== 'sqlite') await this.#storage.announce(MAIL_CAME, signal);
  }
}

/** Runs a workflow that no executor has begun, as a copy, to see its first steps. Its commands are not carried out. */
async function begun(execution: Execution): Promise<void> {
  begin(execution);
  await drained();
}

function failureOf({ code, message }: WorkflowFailure): WorkflowFailure {
  return { code, message };
}

function mail(workflow: string, kind: 'start' | 'signal' | 'cancel' | 'pause' | 'resume', now: number) {
  return { workflow, kind, name: '', step: 0, payload: undefined, error: undefined, signalId: undefined, now };
}

function signalMail(id: string, { name, payload, signalId }: Message & SignalOptions, now: number): NewMail {
  const text = encodePayload(payload, `the payload of signal ${name}`);
  return { ...mail(id, 'signal', now), name: checkedName(name, 'a signal name'), payload: text, signalId };
}

function outcomeOf({ id, status, result, reason }: WorkflowRecord): Payload | undefined {
  if (status === 'completed') return decodePayload(result);
  if (status === 'cancelled') throw workflowCancelled(id, reason?.message ?? '');
  throw workflowFailed(id, reason ?? { code: 'Error', message: 'unknown' });
}

function listing({ status, name, pageSize, pageToken }: WorkflowQuery) {
  const conditions = [sql`1 = 1`];
  if (status === 'paused') conditions.push(sql`status = ${'running'} AND paused = ${1}`);
  else if (status === 'running') conditions.push(sql`status = ${'running'} AND paused = ${0}`);
  else if (status !== undefined) conditions.push(sql`status = ${status}`);
  if (name !== undefined) conditions.push(sql`name = ${name}`);
  if (pageToken !== undefined) {
    const [startedAt, id] = parsePageToken(pageToken);
    conditions.push(sql`(started_at, id) < (${startedAt}, ${id})`);
  }
  return sql`SELECT * FROM durable_workflows WHERE ${sql.list(conditions, ' AND ')}
    ORDER BY started_at DESC, id DESC LIMIT ${pageSize + 1}`;
}

function parsePageToken(token: string): [number, string] {
  try {
    const place: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (Array.isArray(place) && typeof place[0] === 'number' && typeof place[1] === 'string')
      return [place[0], place[1]];
  } catch {
    // Falls through to the same error below.
  }
  throw new DurableError('PAYLOAD_NOT_JSON', 'the page token was not issued by this list');
}
