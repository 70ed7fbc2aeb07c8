import { retry, Semaphore, type Sleep } from '#kit/std';
import type { DeliveryOrder, Handover } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import type { GenerateTarget } from '../../domain/manifest/generate-context.ts';
import type { PoolTarget } from '../ports.ts';
import { ANY_TARGET, DesiredContents, type Made } from './generation/desired-contents.ts';
import { StoredPayloads } from './generation/stored-payloads.ts';
import type { PipelineDeps } from './pipeline-deps.ts';
import { PIPELINE_SETTINGS, type PipelineSettings } from './pipeline-settings.ts';
import { type Content, OrderMaker, type PreparedDelivery } from './prepared-delivery.ts';
import { SharedDeadline } from './shared-deadline.ts';
import { type Batch, BatchWriter, isUntaken, PIECE } from './write-batch.ts';

export interface BatchRequest {
  readonly deployment: DeploymentId;
  readonly revision: number;
  readonly batch: number;
  /** Called regularly as a sign of life. */
  readonly heartbeat: () => void;
}

export interface DeliverDeps extends PipelineDeps {
  /** Resolves once it is on disk. */
  readonly handOver: (handover: Handover, signal: AbortSignal) => Promise<void>;
  /** Called for each order that an agent accepted, once that is on disk, with the workspace of the deployment. */
  readonly delivered: (workspace: string) => void;
}

const TRIES = 5;
const DISPATCH_BACKOFF = { baseMs: 200, capMs: 5_000 };
const GENERATE_BACKOFF = { baseMs: 1_000, capMs: 60_000 };
const HEARTBEAT_MS = 5_000;

/**
 * Generate, diff, deliver: each row of the batch, until its agent has persisted the order or it is known that it will
 * not.
 */
export class DeliverBatch {
  readonly #deps: DeliverDeps;
  readonly #settings: PipelineSettings;

  constructor(deps: DeliverDeps) {
    this.#deps = deps;
    this.#settings = { ...PIPELINE_SETTINGS, ...deps.settings };
  }

  async run(request: BatchRequest, signal: AbortSignal): Promise<void> {
    const scene = await this.#open(request, signal);
    if (scene === undefined) return;
    const over = new AbortController();
    const beating = beat(request.heartbeat, this.#deps.sleep, AbortSignal.any([signal, over.signal]));
    try {
      await this.#deliver(scene, signal);
    } finally {
      over.abort();
      await beating;
    }
  }

  async #open({ deployment: uid, revision, batch }: BatchRequest, signal: AbortSignal): Promise<Batch | undefined> {
    const { units, strategies, fingerprint, slots } = this.#deps;
    return await units.read(async (unit) => {
      const [deployment, its, ordered] = await Promise.all([
        unit.deployments.get(uid, signal),
        unit.revisions.find(uid, revision, signal),
        unit.targets.inBatch(uid, batch, signal),
      ]);
      const rows = ordered.filter((row) => isUntaken(row, { revision, batch }));
      if (deployment === undefined || its === undefined || rows.length === 0) return undefined;
      const isDelivery = rows.some(({ order }) => order?.kind === 'deliver');
      const { spec, rollbackTo } = its;
      const scene = { deployment, revision, spec, rollbackTo, speculative: false };
      const generation = { manifests: strategies.manifests, fingerprint, slots };
      const ids = rows.map(({ target }) => target);
      const [desired, found] = await Promise.all([
        isDelivery ? DesiredContents.open(unit, scene, generation, signal) : undefined,
        unit.pool.find(ids, signal),
      ]);
      await desired?.recall(unit, ids, signal);
      const targets = new Map([unit.pool.local, ...found].map((target) => [target.id, target]));
      return { deployment, revision: its, batch, rows, desired, targets, orders: new OrderMaker(spec) };
    }, signal);
  }

  /** While some orders are on their way, the next ones are generated and written. */
  async #deliver(batch: Batch, signal: AbortSignal): Promise<void> {
    const { width, dispatchMs } = this.#settings;
    const lane = { slots: new Semaphore(width), deadline: new SharedDeadline(dispatchMs, signal) };
    const running = new Set<Promise<void>>();
    const failures: unknown[] = [];
    const own = (work: Promise<void>): void => {
      const ended = work.catch((error: unknown) => failures.push(error)).then(() => void running.delete(ended));
      running.add(ended);
    };
    const its = { batch: batch.batch, workspace: batch.deployment.workspace.name };
    const writer = new BatchWriter(this.#deps, batch, {
      written: (orders) => {
        for (const order of orders) own(this.#dispatch(order, { ...lane, ...its }, signal));
      },
    });
    const stored = new StoredPayloads(this.#deps.units, batch.desired);
    // One that fails, for instance because what its agent said is refused, keeps back no other.
    for (let start = 0; start < batch.rows.length; start += PIECE) {
      const rows = batch.rows.slice(start, start + PIECE);
      const { ready, missing } = await this.#sort(batch, { rows, stored }, signal);
      await writer.write(ready, signal);
      for (const { row, target } of missing) own(this.#generate(batch, { row, target, writer }, signal));
      // A delivery that waits for a slot holds its documents in memory, so their number is limited.
      while (running.size > 4 * PIECE) await Promise.race(running);
    }
    while (running.size > 0) await Promise.race(running);
    signal.throwIfAborted();
    if (failures.length > 0) throw failures[0];
  }

  /** Removals, and contents that are stored or the same for all, are ready; others have to be generated. */
  async #sort(
    { desired, targets }: Batch,
    { rows, stored }: { readonly rows: readonly DeploymentTarget[]; readonly stored: StoredPayloads },
    signal: AbortSignal,
  ): Promise<{ readonly ready: readonly PreparedDelivery[]; readonly missing: readonly Missing[] }> {
    const literal = desired?.literal;
    const asked = literal === undefined ? rows.flatMap(({ target }) => targets.get(target) ?? []) : [];
    const known = asked.length === 0 ? new Map<TargetId, Content>() : await stored.of(asked, signal);
    const ready: PreparedDelivery[] = [];
    const missing: Missing[] = [];
    for (const row of rows) {
      const target = targets.get(row.target);
      if (row.order?.kind !== 'deliver' || desired === undefined) ready.push({ row, wanted: undefined });
      else if (target === undefined) ready.push({ row, wanted: 'gone' });
      else {
        const content = literal ?? known.get(target.id);
        if (content === undefined) missing.push({ row, target });
        else ready.push({ row, wanted: content });
      }
    }
    if (desired?.isSameForAll !== true || missing.length === 0) return { ready, missing };
    const made = await this.#make(desired, ANY_TARGET, signal);
    return { ready: [...ready, ...missing.map(({ row }) => ({ row, wanted: made.desired, made }))], missing: [] };
  }

  async #generate(
    { desired }: Batch,
    { row, target, writer }: Missing & { readonly writer: BatchWriter },
    signal: AbortSignal,
  ): Promise<void> {
    if (desired === undefined) return;
    const made = await this.#make(desired, target, signal);
    await writer.add({ row, wanted: made.desired, made }, signal);
  }

  /** A strategy that throws may succeed later. Other rows do not wait for the retry, and no slot is held meanwhile. */
  async #make(desired: DesiredContents, target: GenerateTarget, signal: AbortSignal): Promise<Made> {
    const { sleep, random } = this.#deps;
    const options = { what: 'generate', policy: GENERATE_BACKOFF, attempts: TRIES, sleep, random };
    try {
      const body = () => desired.generate(target, signal);
      return await retry(body, { ...options, isRetryable: () => true }, signal);
    } catch (error) {
      signal.throwIfAborted();
      return { desired: { kind: 'failed', message: causeOf(error) }, record: undefined };
    }
  }

  /**
   * A slot is held for one attempt, not for the wait between two. An order whose answer got lost is not repeated once the
   * agent has reported on it, or another order has taken its place.
   */
  async #dispatch(
    order: DeliveryOrder,
    { slots, deadline, batch, workspace }: Lane & { readonly batch: number; readonly workspace: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { router, sleep, random, handOver, delivered } = this.#deps;
    const { target, deployment, revision } = order;
    const its = { target: target.id, deployment, revision };
    const tryOnce = async (attempt: number): Promise<Handover> => {
      const answer = await router.dispatch(order, deadline.signal);
      // It has returned while the order was on its way: no later change of its connection would send the order again.
      if (answer.kind === 'offline' && attempt < TRIES && (await this.#isBack(order, signal)))
        throw new Error('the target was offline for a moment');
      return { ...its, ...answer };
    };
    const options = { what: `deliver to ${target.name}`, policy: DISPATCH_BACKOFF, attempts: TRIES, sleep, random };
    const body = async (_: AbortSignal, attempt: number): Promise<Handover | undefined> =>
      attempt > 1 && !(await this.#isDue(order, batch, signal))
        ? undefined
        : await slots.run(() => tryOnce(attempt), signal);
    const handover = await retry(body, { ...options, isRetryable: () => true }, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      return { ...its, kind: 'unreachable', message: causeOf(error) } as const;
    });
    if (handover === undefined) return;
    await handOver(handover, signal);
    if (handover.kind === 'accepted') delivered(workspace);
  }

  async #isBack({ target }: DeliveryOrder, signal: AbortSignal): Promise<boolean> {
    const found = await this.#deps.units.read((unit) => unit.pool.find([target.id], signal), signal);
    return found.some(({ isOnline }) => isOnline);
  }

  async #isDue({ target, deployment, revision }: DeliveryOrder, batch: number, signal: AbortSignal): Promise<boolean> {
    const rows = await this.#deps.units.read((unit) => unit.targets.some(deployment, [target.id], signal), signal);
    return rows.some((row) => isUntaken(row, { revision, batch }));
  }
}

interface Missing {
  readonly row: DeploymentTarget;
  readonly target: PoolTarget;
}

/** Shared by the deliveries of a batch. */
interface Lane {
  readonly slots: Semaphore;
  readonly deadline: SharedDeadline;
}

async function beat(heartbeat: () => void, sleep: Sleep, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    heartbeat();
    await sleep(HEARTBEAT_MS, signal).catch(() => {});
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message of the last attempt's error. */
function causeOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
}
