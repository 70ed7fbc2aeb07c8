import { type AddOptions, DONE, type Result, requeueAfter, type Wake } from '#kit/reconcile';
import { type BackoffPolicy, backoffDelay, Mutex, type Random, type Uuid } from '#kit/std';
import type { AgentAcknowledgement, DeliveryOrder, Holding, ReportContent } from '#protocol/delivery';
import { isOutdated, KubernetesError } from '../domain/kubernetes-error.ts';
import { type AcceptedOrder, acceptedOrder, isDone, type OrderFacts, verdictOf } from '../domain/order.ts';
import type { Outcome } from './carry-out.ts';
import { type Assignment, type CarryOutOrderDeps, carryOutOrder } from './carry-out-order.ts';
import { type DeploymentRecords, DeploymentState } from './deployment-state.ts';
import { HealthMonitor, type HealthMonitorDeps } from './health-monitor.ts';
import { StatusTracker } from './status-tracker.ts';
import { boundedList } from './summary.ts';

export interface ReconcilerDeps extends HealthMonitorDeps, CarryOutOrderDeps {
  readonly report: (deployment: Uuid, revision: number, content: ReportContent) => void;
  /** Its keys are the uids of deployments. */
  readonly wake: Wake;
  readonly random: Random;
  readonly onTrouble: (error: unknown) => void;
}

const WAITING: BackoffPolicy = { baseMs: 100, capMs: 10_000 };
/** Conflicts and refusals: an operator has to act. */
const FAILED: BackoffPolicy = { baseMs: 10_000, capMs: 300_000 };
const OBSERVE_EVERY_MS = 60_000;
const UNSEEN_MS = 1_000;
/** Minimum time between two checks; grows with the number of objects. */
const GAP_MS = 100;
const GAP_PER_OBJECT_MS = 0.1;
/** After an error. */
const TROUBLE_GAP_MS = 250;
/** Used while a fresh apply has not been seen yet: the platform is waiting for its health. */
const EAGER_GAP_MS = 5;
/** Long enough to report health first, also if many clusters share a machine. */
const OWED_MS = 250;

/** Reconciles one deployment in one cluster: carries out its orders one after another, then tracks health and drift. */
export class DeploymentReconciler {
  readonly state: DeploymentState;
  readonly #deps: ReconcilerDeps;
  readonly #status: StatusTracker;
  readonly #monitor: HealthMonitor;
  #attempts = 0;
  #observeAt = 0;
  #isUnseen = false;
  /** Changes in the cluster are batched for this long after a reconcile. An order is not delayed. */
  #gapMs = GAP_MS;
  #restsUntil = 0;
  #isWorking = false;
  #hasChanged = false;
  /** All writes of orders and inventories run one after another: they are conditional. */
  readonly #writes = new Mutex();
  #outdated: KubernetesError | undefined;

  constructor(deps: ReconcilerDeps, deployment: Uuid, found: DeploymentRecords) {
    this.#deps = deps;
    this.state = new DeploymentState(deps.ports, deployment, found);
    this.#status = new StatusTracker((revision, content) => deps.report(deployment, revision, content));
    this.#monitor = new HealthMonitor(deps, this.state, this.#status);
  }

  /** Its last attempt did not succeed. */
  get isRetry(): boolean {
    return this.#attempts > 0;
  }

  get holding(): Holding | undefined {
    const { inventory, deployment } = this.state;
    if (inventory?.held === undefined) return undefined;
    const condition = this.#monitor.condition() ?? this.#status.of(inventory.held.revision);
    return { deployment, ...inventory.held, ...condition };
  }

  /** An object of the deployment changed in the cluster. */
  changed(): void {
    this.#hasChanged = true;
    if (!this.#isWorking) this.#enqueue({ afterMs: this.#restsUntil - this.#deps.clock.now() });
  }

  /** All objects of some kind are now known. */
  synced(): void {
    if (this.#isUnseen) this.changed();
  }

  /** Resolves once the order is saved in the cluster. Work may start before that. */
  async accept(order: DeliveryOrder, signal: AbortSignal): Promise<AgentAcknowledgement> {
    return await this.#write(async () => {
      const { state } = this;
      const accepted = acceptedOrder(order, state);
      const verdict = verdictOf(state, accepted);
      if (verdict.kind === 'fenced' || verdict.kind === 'rejected') return verdict;
      this.#status.forget();
      const isUnderWay = state.order !== undefined && !state.order.isCancelled;
      const isSaved = verdict.kind === 'again' && (isUnderWay || state.isDone(accepted));
      if (isSaved) await state.saveBegun(signal);
      else if (await this.#save(accepted, signal)) return { kind: 'accepted' };
      // Also for a content that is still held because the order in between never started.
      if (state.isDone(accepted)) this.#reportDone(accepted);
      this.#begin();
      return { kind: 'accepted' };
    }, signal);
  }

  /** An order that has not started never starts. A running one stops after the objects in progress. */
  async cancel(revision: number, signal: AbortSignal): Promise<void> {
    await this.#write(async () => {
      const { state } = this;
      if (state.order?.revision !== revision || !state.isToDo) return;
      const order = await state.wholeOrder(signal);
      if (order !== undefined) {
        const cancelled = { ...order, isCancelled: true };
        await state.disclaim(cancelled, signal);
        await state.saveOrder(cancelled, signal);
      }
      this.#enqueue({ priority: 'high' });
    }, signal);
  }

  /** The cluster does not respond, so the last known state is stale. */
  lost(message: string): void {
    const { order, inventory } = this.state;
    const revision = this.state.isToDo ? order?.revision : inventory?.held?.revision;
    if (revision !== undefined) this.#status.report(revision, { kind: 'health', health: 'Unknown', message });
  }

  /** Throws when the state read from the cluster is out of date, and for errors that are worth a retry. */
  async reconcile(signal: AbortSignal): Promise<Result> {
    this.#isWorking = true;
    this.#hasChanged = false;
    this.#gapMs = GAP_MS + (this.state.inventory?.entries.length ?? 0) * GAP_PER_OBJECT_MS;
    try {
      const ms = await this.#step(signal);
      return ms === undefined ? DONE : requeueAfter(ms);
    } catch (error) {
      signal.throwIfAborted();
      if (!isOutdated(error)) this.#troubled(error);
      throw error;
    } finally {
      this.#isWorking = false;
      this.#restsUntil = this.#deps.clock.now() + this.#gapMs;
      if (this.#hasChanged) this.changed();
    }
  }

  /** Returns when to check again even if nothing happens; `undefined` for never. */
  async #step(signal: AbortSignal): Promise<number | undefined> {
    const observeInMs = this.#observeInMs;
    if (this.state.isToDo || (observeInMs !== undefined && observeInMs <= 0)) {
      const ms = await this.#work(signal);
      if (ms !== undefined || this.state.isToDo) return ms ?? 0;
    }
    const seen = await this.#monitor.check(signal);
    if (seen.kind === 'repair') return await this.#repair(seen.objects, signal);
    this.#attempts = 0;
    this.#isUnseen = seen.kind === 'unseen';
    if (this.#isUnseen) this.#gapMs -= GAP_MS - EAGER_GAP_MS;
    const again = [this.#isUnseen ? UNSEEN_MS : this.#observeInMs, await this.#settleInTime(signal)];
    const due = again.filter((ms) => ms !== undefined);
    return due.length === 0 ? undefined : Math.min(...due);
  }

  #troubled(error: unknown): void {
    this.#deps.onTrouble(error);
    this.#missed(TROUBLE_GAP_MS);
    if (this.#attempts > 2) this.lost(error instanceof Error ? error.message : String(error));
  }

  /** When an order that is only observed is to be compared again. */
  get #observeInMs(): number | undefined {
    const { mode, order } = this.state;
    const isObserved = mode === 'observe' && order !== undefined && isDone(this.state, order);
    return isObserved ? this.#observeAt - this.#deps.clock.now() : undefined;
  }

  /** Returns when to try again; `undefined` if nothing is left to do. */
  async #work(signal: AbortSignal): Promise<number | undefined> {
    const { state } = this;
    const facts = state.order;
    if (facts === undefined) return undefined;
    if (state.corrupt !== undefined)
      return this.#failed(facts, { kind: 'failed', message: `${state.corrupt.message}.` });
    const mayTakeBack = (identity: string): boolean => this.#monitor.mayTakeBack(identity);
    const outcome = await this.#carryOut({ mayTakeBack, asksServer: this.#attempts > 0 }, signal);
    if (outcome.kind === 'applied' && facts.hash === undefined) await this.#forget(facts, signal);
    return this.#afterWork(facts, outcome);
  }

  async #carryOut(how: Omit<Assignment, 'state' | 'write'>, signal: AbortSignal): Promise<Outcome> {
    const write: Assignment['write'] = async (body, stop) => await this.#write(body, stop);
    return await carryOutOrder(this.#deps, { ...how, state: this.state, write }, signal);
  }

  #afterWork(facts: OrderFacts, outcome: Outcome): number | undefined {
    switch (outcome.kind) {
      case 'observed':
        this.#observeAt = this.#deps.clock.now() + OBSERVE_EVERY_MS;
        this.#done(facts);
        this.#reportObserved(facts, outcome);
        return undefined;
      case 'applied':
      case 'released':
        this.#done(facts);
        return undefined;
      case 'stopped':
        this.#attempts = 0;
        return undefined;
      case 'waiting':
        this.#status.report(facts.revision, { kind: 'health', health: 'Unknown', message: outcome.message });
        return this.#later(WAITING);
      case 'rejected':
      case 'failed':
        return this.#failed(facts, outcome);
      case 'fenced':
        throw new KubernetesError(
          'RECORD_CHANGED',
          `carry out revision ${facts.revision}: revision ${outcome.seen} was already seen`,
        );
    }
  }

  /** A failed repair does not end the order: the remaining drift has been reported. */
  async #repair(takesBack: ReadonlySet<string>, signal: AbortSignal): Promise<number> {
    const outcome = await this.#carryOut({ takesBack }, signal);
    this.state.letGo();
    if (outcome.kind === 'stopped') return 0;
    if (outcome.kind === 'waiting') return this.#later(WAITING);
    // An attempt that is only waiting does not count towards the repair limit.
    this.#monitor.repaired();
    return outcome.kind === 'applied' ? 0 : this.#later(FAILED);
  }

  #done(facts: OrderFacts): void {
    this.#attempts = 0;
    // The next order may have arrived while this one was finishing.
    if (this.state.order === facts || facts.hash === undefined) this.state.done();
    this.#monitor.begin();
    this.#reportDone(facts);
  }

  #reportDone({ revision, hash }: OrderFacts): void {
    this.#status.report(revision, hash === undefined ? { kind: 'removed' } : { kind: 'applied', hash });
  }

  #reportObserved({ revision }: OrderFacts, { changes }: Extract<Outcome, { kind: 'observed' }>): void {
    const differing = changes.filter(({ lines, refusal }) => lines.length > 0 || refusal !== undefined);
    const objects = differing.map(({ lines, refusal }) =>
      refusal === undefined ? lines.map((line) => line.trim()).join(' ') : refusal,
    );
    const message = `observed only; ${differing.length} of ${changes.length} objects differ`;
    this.#status.report(revision, { kind: 'health', health: 'Available', message });
    this.#status.drift(revision, boundedList(objects));
  }

  #failed({ revision }: OrderFacts, { kind, message }: Extract<Outcome, { kind: 'failed' | 'rejected' }>): number {
    this.#status.report(revision, { kind, message });
    return this.#later(FAILED);
  }

  #later(policy: BackoffPolicy): number {
    this.#missed(policy.baseMs);
    return this.#gapMs + backoffDelay(policy, this.#attempts, this.#deps.random);
  }

  /** The longer an order keeps failing, the longer changes in the cluster are batched. */
  #missed(baseMs: number): void {
    this.#attempts += 1;
    this.#gapMs = Math.min(baseMs * 2 ** Math.min(this.#attempts - 1, 4), FAILED.baseMs);
  }

  async #forget(facts: OrderFacts, signal: AbortSignal): Promise<void> {
    await this.#write(async () => {
      if (this.state.order === facts) await this.state.forget(signal);
    }, signal);
  }

  /** Waits until all calls so far have been written or have failed. */
  async quiet(): Promise<void> {
    await this.#writes.run(async () => {}, new AbortController().signal);
  }

  /** Writes the deferred inventory if possible, so that the next agent has less to do. */
  async settle(signal: AbortSignal): Promise<void> {
    await this.#write(async () => await this.state.settle(signal), signal).catch(() => {});
  }

  /** Writes the deferred inventory once it is due. Returns how long to wait; `undefined` if none is deferred. */
  async #settleInTime(signal: AbortSignal): Promise<number | undefined> {
    const { owedSince } = this.state;
    if (owedSince === undefined) return undefined;
    const left = owedSince + OWED_MS - this.#deps.clock.now();
    if (left > 0) return left;
    await this.#write(async () => await this.state.settle(signal), signal);
    return undefined;
  }

  /** Returns whether work has already started. */
  async #save(order: AcceptedOrder, signal: AbortSignal): Promise<boolean> {
    const { state } = this;
    await state.disclaim(order, signal);
    const mayBegin = state.mayBeginWith(order);
    if (mayBegin) {
      state.begin(order);
      this.#begin();
    } else {
      await state.saveOrder(order, signal);
    }
    // The order's health rules may require whole objects of some kinds.
    this.#deps.kindsChanged();
    if (mayBegin) await state.saveBegun(signal);
    return mayBegin;
  }

  #begin(): void {
    this.#attempts = 0;
    this.#observeAt = 0;
    this.#enqueue({ priority: 'high' });
  }

  #enqueue(options: AddOptions): void {
    this.#deps.wake(this.state.deployment, options);
  }

  /** Once another agent has written, nothing more is written, also not by those that wait. */
  async #write<T>(body: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return await this.#writes.run(async () => {
      if (this.#outdated !== undefined) throw this.#outdated;
      try {
        return await body();
      } catch (error) {
        if (isOutdated(error)) this.#outdated = error;
        throw error;
      }
    }, signal);
  }
}
