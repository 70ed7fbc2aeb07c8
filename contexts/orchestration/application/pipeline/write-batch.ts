import type { DeliveryOrder } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { sent } from '../../domain/deployment/order-of-target.ts';
import type { Revision } from '../../domain/deployment/revision.ts';
import { countsWith } from '../../domain/deployment/status/counts-after.ts';
import { changed } from '../../domain/deployment/status/with-status.ts';
import type { RolloutEvent } from '../../domain/rollout/machine/rollout-event.ts';
import type { PoolTarget, UnitOfWork } from '../ports.ts';
import type { DesiredContents } from './generation/desired-contents.ts';
import type { PipelineDeps } from './pipeline-deps.ts';
import {
  type Content,
  decideOrder,
  type OrderMaker,
  type PreparedDelivery,
  sameContentIn,
} from './prepared-delivery.ts';
import { saveDeployment } from './save-deployment.ts';

/** The orders that were decided together. */
export interface Batch {
  readonly deployment: Deployment;
  readonly revision: Revision;
  readonly batch: number;
  readonly rows: readonly DeploymentTarget[];
  /** `undefined` if the batch has no deliveries. */
  readonly desired: DesiredContents | undefined;
  readonly targets: ReadonlyMap<TargetId, PoolTarget>;
  readonly orders: OrderMaker;
}

/** Rows per unit of work: enough to share the cost of a commit, few enough not to delay the first. */
export const PIECE = 200;

export interface Written {
  /** The orders are on disk, and are to be sent. */
  readonly written: (orders: readonly DeliveryOrder[]) => void;
}

/** Writes the orders of a batch, together with new contents and what they were generated from. */
export class BatchWriter {
  readonly #deps: PipelineDeps;
  readonly #batch: Batch;
  readonly #written: Written['written'];
  #pending: PreparedDelivery[] = [];
  #writing: Promise<void> | undefined;

  constructor(deps: PipelineDeps, batch: Batch, { written }: Written) {
    this.#deps = deps;
    this.#batch = batch;
    this.#written = written;
  }

  /** Resolves once it is written. Orders that come during a write are written together by the next. */
  async add(delivery: PreparedDelivery, signal: AbortSignal): Promise<void> {
    this.#pending.push(delivery);
    this.#writing ??= this.#writeAll(signal).finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  async write(prepared: readonly PreparedDelivery[], signal: AbortSignal): Promise<void> {
    if (prepared.length === 0) return;
    const { uid } = this.#batch.deployment;
    this.#written(await this.#deps.units.writeOf([uid], (unit) => this.#keep(unit, prepared, signal), signal));
  }

  async #writeAll(signal: AbortSignal): Promise<void> {
    while (this.#pending.length > 0) await this.write(this.#pending.splice(0, PIECE), signal);
  }

  /** An order is on disk before it is sent, so that the process that takes over after a crash knows of it. */
  async #keep(
    unit: UnitOfWork,
    prepared: readonly PreparedDelivery[],
    signal: AbortSignal,
  ): Promise<readonly DeliveryOrder[]> {
    const batch = this.#batch;
    const { uid } = batch.deployment;
    const rollout = { deployment: uid, revision: batch.revision.revision };
    const deployment = await unit.deployments.get(uid, signal);
    if (deployment === undefined) return [];
    const now = this.#deps.clock.now();
    const isOver = deployment.rollout !== rollout.revision;
    const alike = isOver ? undefined : sameContentIn(prepared);
    if (alike !== undefined && (await this.#sendAlike(unit, { prepared, alike, now }, signal))) {
      return prepared.flatMap(({ row }) => batch.orders.orderFor(sent(row, alike.hash, now), alike.payload));
    }
    const current = await unit.targets.some(
      uid,
      prepared.map(({ row }) => row.target),
      signal,
    );
    const rows = new Map(current.map((row) => [row.target, row]));
    // What was generated for an order that is no longer this one may be outdated.
    const ours = prepared.flatMap((delivery) => {
      const row = rows.get(delivery.row.target);
      return row !== undefined && isUntaken(row, { revision: rollout.revision, batch: batch.batch })
        ? [{ ...delivery, row }]
        : [];
    });
    const decided = ours.map(({ row, wanted }) => decideOrder(row, { wanted, isOver, now }));
    const payloads = new Map(decided.flatMap(({ payload }) => (payload ? [[payload.hash, payload]] : [])));
    const assigned = decided.flatMap((each) => (each.assigns ? [[each.row.target, each.payload?.hash] as const] : []));
    const rolloutEvents = decided.flatMap(({ event }) => event ?? []);
    const after = decided.map(({ row }) => row);
    await Promise.all([
      unit.contents.keep([...payloads.values()], signal),
      isOver ? undefined : this.#record(unit, ours, signal),
      unit.contents.assign(rollout, new Map(assigned), signal),
      unit.targets.put(after, signal),
      this.#tell(unit, { deployment, rolloutEvents, before: rows, after, now }, signal),
    ]);
    return decided.flatMap(({ row, payload, isSent }) => (isSent ? batch.orders.orderFor(row, payload) : []));
  }

  /** All rows get the same content and none has it yet: one statement, unless a row changed in the meantime. */
  async #sendAlike(
    unit: UnitOfWork,
    {
      prepared,
      alike,
      now,
    }: { readonly prepared: readonly PreparedDelivery[]; readonly alike: Content; readonly now: number },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { deployment, revision, batch } = this.#batch;
    const rollout = { deployment: deployment.uid, revision: revision.revision };
    const targets = prepared.map(({ row }) => row.target);
    const its = { ...rollout, batch, hash: alike.hash, now };
    const [marked] = await Promise.all([
      unit.targets.markSent(its, targets, signal),
      unit.contents.keep([alike.payload], signal),
    ]);
    if (marked !== targets.length) return false;
    await Promise.all([
      this.#record(unit, prepared, signal),
      unit.contents.assign(rollout, new Map(targets.map((target) => [target, alike.payload.hash])), signal),
    ]);
    return true;
  }

  async #record(unit: UnitOfWork, prepared: readonly PreparedDelivery[], signal: AbortSignal): Promise<void> {
    const records = new Map(prepared.flatMap(({ made }) => (made?.record === undefined ? [] : [made.record])));
    if (records.size > 0) await unit.generated.put(this.#batch.deployment.uid, records, signal);
  }

  async #tell(unit: UnitOfWork, told: Telling, signal: AbortSignal): Promise<void> {
    const { deployment, rolloutEvents, before, after, now } = told;
    const counts = countsWith(deployment.status.counts, before, { rows: after });
    if (deployment.rollout !== undefined && rolloutEvents.length > 0) {
      await unit.rollouts.post({ deployment: deployment.uid, revision: deployment.rollout }, rolloutEvents, signal);
      await unit.deployments.wake(deployment.uid, signal);
    }
    const next = changed(deployment, { status: { ...deployment.status, counts } }, now);
    await saveDeployment(unit, { before: deployment, after: next, events: [], now }, signal);
  }
}

interface Telling {
  readonly deployment: Deployment;
  readonly rolloutEvents: readonly RolloutEvent[];
  readonly before: ReadonlyMap<TargetId, DeploymentTarget>;
  readonly after: readonly DeploymentTarget[];
  readonly now: number;
}

/** Whether the row still has the order of this batch, which no agent has accepted. */
export function isUntaken(
  { order }: DeploymentTarget,
  { revision, batch }: { revision: number; batch: number },
): boolean {
  return order !== undefined && order.revision === revision && order.batch === batch && order.state !== 'accepted';
}
