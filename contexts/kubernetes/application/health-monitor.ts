import type { Clock } from '#kit/std';
import type { Health } from '#protocol/delivery';
import type { HealthState } from '../domain/health/object-health.ts';
import { isDone } from '../domain/order.ts';
import { maskFor } from '../domain/secret-fields.ts';
import { type Assessment, assess, type DriftCandidate } from './assess.ts';
import { WIDTH } from './carry-out-order.ts';
import type { DeploymentState } from './deployment-state.ts';
import { DriftTracker } from './drift-tracker.ts';
import type { ClusterPorts } from './ports.ts';
import type { Condition, StatusTracker } from './status-tracker.ts';
import { withoutSecrets } from './without-secrets.ts';

export interface HealthMonitorDeps {
  readonly ports: ClusterPorts;
  readonly clock: Clock;
  /** Throws if the cluster has been rebuilt. */
  readonly verify: (signal: AbortSignal) => Promise<void>;
}

export type CheckResult =
  | { readonly kind: 'fine' }
  /** The watch does not show everything yet: look again soon. */
  | { readonly kind: 'unseen' }
  /** These objects, by identity, are to be brought back to what was applied. */
  | { readonly kind: 'repair'; readonly objects: ReadonlySet<string> };

const HEALTH: Readonly<Record<HealthState, Health>> = {
  Available: 'Available',
  Applied: 'Available',
  Progressing: 'Progressing',
  Unknown: 'Unknown',
  Degraded: 'Degraded',
};

/** After this long the watch has either missed our write or seen a later version. */
const SETTLED_MS = 5_000;
const UNSYNCED_MS = 10_000;
const FINE = { kind: 'fine' } as const;
const UNSEEN = { kind: 'unseen' } as const;

/** Tracks health and drift of what was applied, based on what the watch has seen. */
export class HealthMonitor {
  readonly #deps: HealthMonitorDeps;
  readonly #state: DeploymentState;
  readonly #status: StatusTracker;
  readonly #drift = new DriftTracker();
  #unseenSince: number | undefined;

  constructor(deps: HealthMonitorDeps, state: DeploymentState, status: StatusTracker) {
    this.#deps = deps;
    this.#state = state;
    this.#status = status;
  }

  /** After a full apply nothing differs any more. Planned repairs were made by that apply, and count as attempts. */
  begin(): void {
    this.#drift.repairsAttempted();
    this.#drift.clear();
    this.#unseenSince = undefined;
  }

  /**
   * Whether an order may revert changes made by others, by identity: the policy must ask for repair, and the repair
   * limit must not be reached.
   */
  mayTakeBack(identity: string): boolean {
    return this.#state.order?.driftPolicy === 'repair' && this.#drift.mayRepair(identity, this.#deps.clock.now());
  }

  /** The repairs that `check` asked for were made, or tried and refused. */
  repaired(): void {
    this.#drift.repairsAttempted();
  }

  /** Current condition of a completely applied revision, if known. Sends no requests. */
  condition(): Condition | undefined {
    const { health, unsynced, isSettled } = this.#assess() ?? {};
    return health === undefined || unsynced?.length !== 0 || !isSettled
      ? undefined
      : { health: HEALTH[health.state], message: health.message };
  }

  async check(signal: AbortSignal): Promise<CheckResult> {
    const seen = this.#assess();
    const held = this.#state.inventory?.held;
    if (seen === undefined || held === undefined) return FINE;
    const isSeen = seen.unsynced.length === 0 && seen.isSettled;
    if (isSeen) this.#reportHealth(held.revision, seen);
    else this.#reportUnseen(held.revision, seen);
    if (!this.#isOfOrder) return isSeen ? FINE : UNSEEN;
    const candidates = this.#drift.open(seen.candidates);
    if (candidates.length > 0) await this.#compare(candidates, signal);
    this.#status.drift(held.revision, this.#drift.lines);
    const objects = this.#drift.toRepair;
    if (objects.size > 0) return { kind: 'repair', objects };
    return isSeen ? FINE : UNSEEN;
  }

  /** False if a later order was cancelled: it must not be applied, and the order that is held is no longer stored. */
  get #isOfOrder(): boolean {
    const { order } = this.#state;
    return order !== undefined && isDone(this.#state, order);
  }

  #reportHealth(revision: number, { health }: Assessment): void {
    this.#unseenSince = undefined;
    this.#state.versions.clear();
    this.#status.report(revision, { kind: 'health', health: HEALTH[health.state], message: health.message });
  }

  /** Observe mode owns no objects; the comparison reports the condition there. */
  #assess(): Assessment | undefined {
    const { inventory, order, versions, mode } = this.#state;
    const { evaluate, watch } = this.#deps.ports;
    if (inventory?.held === undefined || mode === 'observe') return undefined;
    const rules = order?.revision === inventory.held.revision ? order.healthRules : [];
    return assess({ entries: inventory.entries, rules, evaluate, watch, versions });
  }

  #reportUnseen(revision: number, { unsynced }: Assessment): void {
    const now = this.#deps.clock.now();
    this.#unseenSince ??= now;
    const age = now - this.#unseenSince;
    if (age > SETTLED_MS) this.#state.versions.clear();
    if (unsynced.length > 0 && age > UNSYNCED_MS) {
      const kinds = unsynced.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`).sort();
      this.#status.report(revision, { kind: 'health', health: 'Unknown', message: `cannot watch ${kinds.join(', ')}` });
    }
  }

  async #compare(candidates: readonly DriftCandidate[], signal: AbortSignal): Promise<void> {
    const { ports, clock, verify } = this.#deps;
    // A rebuilt cluster has none of the objects and none of the orders. This is not drift.
    await verify(signal);
    const order = await this.#state.wholeOrder(signal);
    if (order === undefined) return;
    const deps = { cluster: ports.api, discovery: ports.discovery, width: WIDTH };
    const maskOf = () => maskFor(order.documents, order.secretPlaces);
    const input = { candidates, order, now: clock.now() };
    await withoutSecrets(maskOf, async () => await this.#drift.compare(deps, input, signal));
  }
}
