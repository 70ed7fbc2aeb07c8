import type { Uuid } from '#kit/std';
import {
  type DeliveryOrder,
  type DeliveryReport,
  type Document,
  type Health,
  type Inventory,
  type OrderKey,
  type PreviewAnswer,
  type ReportContent,
  whySuperseded,
} from '#protocol/delivery';
import type { TargetRef } from '#protocol/targets';
import { fence, type OrderVerdict, type Seen } from '../../domain/fence.ts';
import type { Behaviour } from './behaviour.ts';
import type { Remembered } from './fleet-memory.ts';
import { previewOf } from './preview-of.ts';

interface Held {
  readonly revision: number;
  readonly hash: string;
  /** Unknown after a restart. */
  readonly documents: readonly Document[] | undefined;
  readonly health: Health;
  readonly drift: readonly string[];
}

interface Share {
  readonly seen: Seen;
  readonly held: Held | undefined;
  /** Accepted, and not done yet. */
  readonly work: DeliveryOrder | undefined;
}

/** The content and the state of one target. It knows no time: the fleet schedules everything. */
export class SimulatedTarget {
  readonly ref: TargetRef;
  behaviour: Behaviour;
  isOnline = false;
  #rebuilds = 0;
  readonly #shares = new Map<Uuid, Share>();
  readonly #pending = new Map<string, DeliveryReport>();

  constructor(ref: TargetRef, behaviour: Behaviour) {
    this.ref = ref;
    this.behaviour = behaviour;
  }

  /** Restores an entry. Orders accepted before the restart count as done. */
  recall(remembered: Remembered): void {
    if ('rebuilds' in remembered) {
      this.#rebuilds = remembered.rebuilds;
      this.#shares.clear();
      return;
    }
    const { deployment, revision, hash } = remembered;
    const held =
      hash === undefined
        ? undefined
        : { revision, hash, documents: undefined, health: this.behaviour.health, drift: [] };
    this.#shares.set(deployment, { seen: { revision, hash }, held, work: undefined });
  }

  /** A new installation in place of the target: no content, and no order seen. */
  rebuild(): Remembered {
    this.#rebuilds += 1;
    this.#shares.clear();
    this.#pending.clear();
    return { target: this.ref.id, rebuilds: this.#rebuilds };
  }

  /** A later incarnation of the platform has this target. */
  whyRejected(order: DeliveryOrder): string | undefined {
    return whySuperseded(this.#shares.get(order.deployment)?.seen.origin, order.origin);
  }

  verdict(order: DeliveryOrder): OrderVerdict {
    return fence(this.#shares.get(order.deployment)?.seen, order);
  }

  /**
   * Takes the order, unless it is fenced. A later order replaces work in progress. An order that is in progress or done
   * is not begun again; one that failed is.
   */
  take(order: DeliveryOrder): OrderVerdict {
    const share = this.#shares.get(order.deployment);
    const verdict = fence(share?.seen, order);
    if (verdict.kind === 'fenced') return verdict;
    const isKnown = verdict.kind === 'again' && (share?.work !== undefined || this.isDone(order));
    const work = isKnown ? share?.work : order;
    this.#shares.set(order.deployment, { seen: verdict.seen, held: share?.held, work });
    return verdict;
  }

  /** Whether it is working on this very order. */
  isUnderWay(order: DeliveryOrder): boolean {
    return this.#shares.get(order.deployment)?.work === order;
  }

  /** Whether nothing is left to do for the order. */
  isDone(order: DeliveryOrder): boolean {
    const held = this.#shares.get(order.deployment)?.held;
    if (order.kind === 'remove') return held === undefined;
    return held?.revision === order.revision && held.hash === order.hash;
  }

  /** The reports of an order that is done. */
  repeat(order: DeliveryOrder): readonly DeliveryReport[] {
    if (order.kind === 'remove') return [this.#report(order, { kind: 'removed' })];
    const { health = 'Unknown' } = this.#shares.get(order.deployment)?.held ?? {};
    return [
      this.#report(order, { kind: 'applied', hash: order.hash }),
      this.#report(order, { kind: 'health', health, message: messageOf(health) }),
    ];
  }

  cancel({ deployment, revision }: OrderKey): void {
    const share = this.#shares.get(deployment);
    if (share?.work?.revision === revision) this.#shares.set(deployment, { ...share, work: undefined });
  }

  /** Its health is unknown until it is checked. */
  succeed(order: DeliveryOrder): readonly DeliveryReport[] {
    const share = this.#shares.get(order.deployment);
    if (share === undefined) return [];
    if (order.kind === 'remove') {
      this.#shares.set(order.deployment, { ...share, held: undefined, work: undefined });
      return [this.#report(order, { kind: 'removed' })];
    }
    const { revision, hash, documents } = order;
    const held: Held = { revision, hash, documents, health: 'Unknown', drift: [] };
    this.#shares.set(order.deployment, { ...share, held, work: undefined });
    const wasDrifted = share.held !== undefined && share.held.drift.length > 0;
    return [
      this.#report(order, { kind: 'applied', hash }),
      ...(wasDrifted ? [this.#report(order, { kind: 'drift', objects: [] })] : []),
    ];
  }

  giveUp(order: DeliveryOrder, kind: 'failed' | 'rejected', message: string): readonly DeliveryReport[] {
    const share = this.#shares.get(order.deployment);
    if (share !== undefined) this.#shares.set(order.deployment, { ...share, work: undefined });
    return [this.#report(order, { kind, message })];
  }

  /** Empty when there is no content, or when the health has not changed. */
  turn(deployment: Uuid, health: Health): readonly DeliveryReport[] {
    const share = this.#shares.get(deployment);
    if (share?.held === undefined || share.held.health === health) return [];
    const { revision } = share.held;
    this.#shares.set(deployment, { ...share, held: { ...share.held, health } });
    return [this.#report({ deployment, revision }, { kind: 'health', health, message: messageOf(health) })];
  }

  drift(deployment: Uuid, objects: readonly string[]): readonly DeliveryReport[] {
    const share = this.#shares.get(deployment);
    if (share?.held === undefined) return [];
    const { revision } = share.held;
    this.#shares.set(deployment, { ...share, held: { ...share.held, drift: objects } });
    return [this.#report({ deployment, revision }, { kind: 'drift', objects })];
  }

  /** The revision of a deployment that is on the target now. */
  revisionOf(deployment: Uuid): number | undefined {
    return this.#shares.get(deployment)?.held?.revision;
  }

  healthOf(deployment: Uuid): Health | undefined {
    return this.#shares.get(deployment)?.held?.health;
  }

  get deployments(): readonly Uuid[] {
    return [...this.#shares].flatMap(([deployment, { held }]) => (held === undefined ? [] : [deployment]));
  }

  inventory(): Inventory {
    const holdings = [...this.#shares].flatMap(([deployment, { held }]) => {
      if (held === undefined) return [];
      const { revision, hash, health } = held;
      return [{ deployment, revision, hash, health, message: messageOf(health) }];
    });
    return { target: this.ref.id, instance: `${this.ref.id}-${this.#rebuilds}`, holdings };
  }

  /** Keeps the report until the target is online. The last of each kind counts; health is part of the inventory. */
  holdBack(report: DeliveryReport): void {
    if (report.kind === 'health') return;
    const key = `${report.kind} ${report.deployment}`;
    this.#pending.delete(key);
    this.#pending.set(key, report);
  }

  takePending(): readonly DeliveryReport[] {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    return pending;
  }

  preview(order: DeliveryOrder): PreviewAnswer | undefined {
    const { held, seen } = this.#shares.get(order.deployment) ?? {};
    if (seen !== undefined && fence(seen, order).kind === 'fenced') {
      return { kind: 'wouldReject', message: `it has already seen revision ${seen.revision}`, changes: [] };
    }
    if (this.behaviour.outcome === 'refuse' || this.behaviour.outcome === 'reject') {
      return { kind: 'wouldReject', message: REFUSAL, changes: [] };
    }
    return previewOf(held, order);
  }

  #report({ deployment, revision }: Pick<OrderKey, 'deployment' | 'revision'>, what: ReportContent): DeliveryReport {
    return { target: this.ref.id, deployment, revision, ...what };
  }
}

export const REFUSAL = 'the simulated target refuses this, as configured';

function messageOf(health: Health): string {
  return health === 'Degraded' || health === 'Progressing'
    ? `the simulated target is ${health.toLowerCase()}, as configured`
    : '';
}
