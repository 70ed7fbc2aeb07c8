import { backoffDelay, retry, Semaphore, type Sleep } from '#kit/std';
import type { DeliveryOrder, Handover } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { countsAfter } from '../../domain/deployment/counts-after.ts';
import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { sent } from '../../domain/deployment/order-of-target.ts';
import type { Revision } from '../../domain/deployment/revision.ts';
import { changed } from '../../domain/deployment/with-status.ts';
import type { Happening } from '../../domain/rollout/machine/happening.ts';
import type { PoolTarget, UnitOfWork } from '../ports.ts';
import { alikeIn, type Content, OrderMaker, type Parcel, packParcel } from './pack-parcel.ts';
import { PIPELINE_SETTINGS, type PipelineDeps, type PipelineSettings } from './pipeline-deps.ts';
import { saveDeployment } from './save-deployment.ts';
import { SharedDeadline } from './shared-deadline.ts';
import { type Wanted, WantedContent } from './wanted-content.ts';

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
}

/** Rows per unit of work: enough to share the cost of a commit, few enough not to delay the first. */
const PIECE = 200;
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
    const { units, strategies, fingerprint } = this.#deps;
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
      const scene = { deployment, revision, spec, rollbackTo, manifests: strategies.manifests, fingerprint };
      const ids = rows.map(({ target }) => target);
      const [wanted, found] = await Promise.all([
        isDelivery ? WantedContent.open(unit, scene, signal) : undefined,
        unit.pool.find(ids, signal),
      ]);
      const targets = new Map([unit.pool.local, ...found].map((target) => [target.id, target]));
      return { deployment, revision: its, batch, rows, wanted, targets, orders: new OrderMaker(spec) };
    }, signal);
  }

  /** While some orders are on their way, the next ones are generated and written. */
  async #deliver(batch: Batch, signal: AbortSignal): Promise<void> {
    const lane = {
      width: new Semaphore(this.#settings.width),
      deadline: new SharedDeadline(this.#settings.dispatchMs, signal),
    };
    const running = new Set<Promise<void>>();
    const failures: unknown[] = [];
    const own = (work: Promise<void>): void => {
      const ended = work.catch((error: unknown) => failures.push(error)).then(() => void running.delete(ended));
      running.add(ended);
    };
    for (let start = 0; start < batch.rows.length && failures.length === 0; start += PIECE) {
      const made = await this.#generate(batch, batch.rows.slice(start, start + PIECE), signal);
      for (const { row, error } of made.slow) own(this.#tryAgain(batch, { row, error, lane, own }, signal));
      for (const order of await this.#write(batch, made.parcels, signal)) own(this.#dispatch(order, lane, signal));
      // Orders that wait for a slot hold their documents in memory, so their number is limited.
      while (running.size > 4 * PIECE) await Promise.race(running);
    }
    while (running.size > 0) await Promise.race(running);
    signal.throwIfAborted();
    if (failures.length > 0) throw failures[0];
  }

  async #generate({ wanted, targets }: Batch, rows: readonly DeploymentTarget[], signal: AbortSignal) {
    const parcels: Parcel[] = [];
    const slow: { readonly row: DeploymentTarget; readonly error: unknown }[] = [];
    for (const row of rows) {
      const target = targets.get(row.target);
      if (row.order?.kind !== 'deliver' || wanted === undefined) parcels.push({ row, wanted: undefined });
      else if (target === undefined) parcels.push({ row, wanted: GONE });
      else {
        try {
          parcels.push({ row, wanted: await wanted.of(target, signal) });
        } catch (error) {
          slow.push({ row, error });
        }
      }
    }
    signal.throwIfAborted();
    return { parcels, slow };
  }

  /** A strategy that throws may succeed later. Other rows do not wait for the retry. */
  async #tryAgain(batch: Batch, { row, error, lane, own }: SlowRow, signal: AbortSignal): Promise<void> {
    const { sleep, random } = this.#deps;
    const target = batch.targets.get(row.target);
    let made: Wanted = { kind: 'failed', message: messageOf(error) };
    for (let tries = 1; tries < TRIES && target !== undefined && batch.wanted !== undefined; tries += 1) {
      await sleep(backoffDelay(GENERATE_BACKOFF, tries, random), signal);
      try {
        made = await batch.wanted.of(target, signal);
        break;
      } catch (again) {
        signal.throwIfAborted();
        made = { kind: 'failed', message: messageOf(again) };
      }
    }
    const orders = await this.#write(batch, [{ row, wanted: made }], signal);
    for (const order of orders) own(this.#dispatch(order, lane, signal));
  }

  async #write(batch: Batch, parcels: readonly Parcel[], signal: AbortSignal): Promise<readonly DeliveryOrder[]> {
    if (parcels.length === 0) return [];
    const { uid } = batch.deployment;
    return await this.#deps.units.writeOf([uid], (unit) => this.#keep(unit, { batch, parcels }, signal), signal);
  }

  /** An order is on disk before it is sent, so that the process that takes over after a crash knows of it. */
  async #keep(unit: UnitOfWork, { batch, parcels }: Keeping, signal: AbortSignal): Promise<readonly DeliveryOrder[]> {
    const { uid } = batch.deployment;
    const rollout = { deployment: uid, revision: batch.revision.revision };
    const deployment = await unit.deployments.get(uid, signal);
    if (deployment === undefined) return [];
    const now = this.#deps.clock.now();
    const isOver = deployment.rollout !== rollout.revision;
    const alike = isOver ? undefined : alikeIn(parcels);
    if (alike !== undefined && (await this.#sendAlike(unit, { batch, parcels, alike, now }, signal))) {
      return parcels.flatMap(({ row }) => batch.orders.orderFor(sent(row, alike.hash, now), alike.payload));
    }
    const current = await unit.targets.some(
      uid,
      parcels.map(({ row }) => row.target),
      signal,
    );
    const rows = new Map(current.map((row) => [row.target, row]));
    const decided = parcels.flatMap(({ row: { target }, wanted }) => {
      const row = rows.get(target);
      const isOurs = row !== undefined && isUntaken(row, { revision: rollout.revision, batch: batch.batch });
      return isOurs ? packParcel(row, { wanted, isOver, now }) : [];
    });
    const payloads = new Map(decided.flatMap(({ payload }) => (payload ? [[payload.hash, payload]] : [])));
    const assigned = decided.flatMap((each) => (each.assigns ? [[each.row.target, each.payload?.hash] as const] : []));
    const happenings = decided.flatMap(({ happening }) => happening ?? []);
    const after = decided.map(({ row }) => row);
    await Promise.all([
      unit.contents.keep([...payloads.values()], signal),
      unit.contents.assign(rollout, new Map(assigned), signal),
      unit.targets.put(after, signal),
      this.#tell(unit, { deployment, happenings, before: rows, after, now }, signal),
    ]);
    return decided.flatMap(({ row, payload, isSent }) => (isSent ? batch.orders.orderFor(row, payload) : []));
  }

  /** All rows get the same content and none has it yet: one statement, unless a row changed in the meantime. */
  async #sendAlike(
    unit: UnitOfWork,
    { batch, parcels, alike, now }: Keeping & { readonly alike: Content; readonly now: number },
    signal: AbortSignal,
  ): Promise<boolean> {
    const rollout = { deployment: batch.deployment.uid, revision: batch.revision.revision };
    const targets = parcels.map(({ row }) => row.target);
    const its = { ...rollout, batch: batch.batch, hash: alike.hash, now };
    const [marked] = await Promise.all([
      unit.targets.markSent(its, targets, signal),
      unit.contents.keep([alike.payload], signal),
    ]);
    if (marked !== targets.length) return false;
    await unit.contents.assign(rollout, new Map(targets.map((target) => [target, alike.payload.hash])), signal);
    return true;
  }

  async #tell(unit: UnitOfWork, told: Telling, signal: AbortSignal): Promise<void> {
    const { deployment, happenings, before, after, now } = told;
    let { counts } = deployment.status;
    for (const row of after) counts = countsAfter(counts, before.get(row.target), row);
    if (deployment.rollout !== undefined && happenings.length > 0) {
      await unit.rollouts.post({ deployment: deployment.uid, revision: deployment.rollout }, happenings, signal);
      await unit.deployments.wake(deployment.uid, signal);
    }
    const next = changed(deployment, { status: { ...deployment.status, counts } }, now);
    await saveDeployment(unit, { before: deployment, after: next, events: [], now }, signal);
  }

  /** A slot is held for one attempt, not for the wait between two. */
  async #dispatch(order: DeliveryOrder, { width, deadline }: Lane, signal: AbortSignal): Promise<void> {
    const { router, sleep, random, handOver } = this.#deps;
    const { target, deployment, revision } = order;
    const its = { target: target.id, deployment, revision };
    try {
      const tryOnce = async (): Promise<Handover> => ({
        ...its,
        ...(await router.dispatch(order, deadline.signal)),
      });
      const options = { what: `deliver to ${target.name}`, policy: DISPATCH_BACKOFF, attempts: TRIES, sleep, random };
      const body = () => width.run(tryOnce, signal);
      await handOver(await retry(body, { ...options, isRetryable: () => true }, signal), signal);
    } catch (error) {
      signal.throwIfAborted();
      await handOver({ ...its, kind: 'unreachable', message: causeOf(error) }, signal);
    }
  }
}

interface Batch {
  readonly deployment: Deployment;
  readonly revision: Revision;
  readonly batch: number;
  readonly rows: readonly DeploymentTarget[];
  /** `undefined` if the batch has no deliveries. */
  readonly wanted: WantedContent | undefined;
  readonly targets: ReadonlyMap<TargetId, PoolTarget>;
  readonly orders: OrderMaker;
}

/** Shared by the deliveries of a batch. */
interface Lane {
  readonly width: Semaphore;
  readonly deadline: SharedDeadline;
}

interface SlowRow {
  readonly row: DeploymentTarget;
  readonly error: unknown;
  readonly lane: Lane;
  readonly own: (work: Promise<void>) => void;
}

interface Keeping {
  readonly batch: Batch;
  readonly parcels: readonly Parcel[];
}

interface Telling {
  readonly deployment: Deployment;
  readonly happenings: readonly Happening[];
  readonly before: ReadonlyMap<TargetId, DeploymentTarget>;
  readonly after: readonly DeploymentTarget[];
  readonly now: number;
}

const GONE: Wanted = { kind: 'failed', message: 'the target no longer exists' };

function isUntaken({ order }: DeploymentTarget, { revision, batch }: { revision: number; batch: number }): boolean {
  return order !== undefined && order.revision === revision && order.batch === batch && order.state !== 'accepted';
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
