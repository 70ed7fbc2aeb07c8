import { type BackoffPolicy, backoffDelay, Notifier, type Random, type Uuid } from '#kit/std';
import type { AgentAcknowledgement, DeliveryOrder, Holding, ReportContent } from '#protocol/delivery';
import { KubernetesError } from '../domain/kubernetes-error.ts';
import { type AcceptedOrder, acceptedOrder, isDone, type OrderFacts, passageOf } from '../domain/order.ts';
import { type CareOutcome, Caretaker, type CaretakerDeps } from './caretaker.ts';
import type { Outcome } from './carry-out.ts';
import { carryOutOrder } from './carry-out-order.ts';
import { DeploymentFile, type Found } from './deployment-file.ts';
import { StatusBook } from './status-book.ts';
import { listed } from './told.ts';
import type { Turnstile } from './turnstile.ts';

export interface KeeperDeps extends CaretakerDeps {
  readonly say: (deployment: Uuid, revision: number, said: ReportContent) => void;
  /** `first` for first attempts, `again` for retries: stuck work delays only other stuck work. */
  readonly lanes: { readonly first: Turnstile; readonly again: Turnstile };
  readonly random: Random;
  readonly onTrouble: (error: unknown) => void;
}

const TROUBLE: BackoffPolicy = { baseMs: 250, capMs: 30_000 };
const WAITING: BackoffPolicy = { baseMs: 100, capMs: 10_000 };
/** Conflicts and refusals: an operator has to act. */
const FAILED: BackoffPolicy = { baseMs: 10_000, capMs: 300_000 };
const OBSERVE_EVERY_MS = 60_000;
/** Full check, in case a watch missed something. */
const RESYNC_MS = 600_000;
const UNSEEN_MS = 1_000;
/** Minimum time between two checks; grows with the number of objects. */
const GAP_MS = 100;
const GAP_PER_OBJECT_MS = 0.1;
/** Long enough to report health first, also if many clusters share a machine. */
const OWED_MS = 250;
/** Used while a fresh apply has not been seen yet: the platform is waiting for its health. */
const EAGER_GAP_MS = 5;

/** Reconciles one deployment in one cluster: carries out its orders one after another, then tracks health and drift. */
export class DeploymentKeeper {
  readonly file: DeploymentFile;
  readonly #deps: KeeperDeps;
  readonly #status: StatusBook;
  readonly #care: Caretaker;
  readonly #wake: Notifier;
  /** Raised by orders only. Changes in the cluster may wait a moment to be batched. */
  readonly #urgent: Notifier;
  #attempts = 0;
  #observeAt = 0;
  #isUnseen = false;
  /** For this long only an order interrupts the wait. */
  #gapMs = GAP_MS;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: KeeperDeps, deployment: Uuid, found: Found) {
    this.#deps = deps;
    this.file = new DeploymentFile(deps.ports, deployment, found);
    this.#status = new StatusBook((revision, said) => deps.say(deployment, revision, said));
    this.#care = new Caretaker(deps, this.file, this.#status);
    this.#wake = new Notifier(deps.sleep);
    this.#urgent = new Notifier(deps.sleep);
  }

  get holding(): Holding | undefined {
    const { inventory, deployment } = this.file;
    if (inventory?.held === undefined) return undefined;
    const condition = this.#care.condition() ?? this.#status.of(inventory.held.revision);
    return { deployment, ...inventory.held, ...condition };
  }

  /** An object of the deployment changed in the cluster. */
  changed(): void {
    this.#wake.notify();
  }

  /** All objects of some kind are now known. */
  synced(): void {
    if (this.#isUnseen) this.#wake.notify();
  }

  async take(order: DeliveryOrder, signal: AbortSignal): Promise<AgentAcknowledgement> {
    return await this.#inTurn(async () => {
      const { file } = this;
      const accepted = acceptedOrder(order);
      const passage = passageOf(file, accepted);
      if (passage.kind === 'fenced') return passage;
      this.#status.forget();
      const isUnderWay = file.order !== undefined && !file.order.isCancelled;
      const isKept = passage.kind === 'again' && (isUnderWay || file.isDone(accepted));
      if (isKept) await file.kept(signal);
      else if (await this.#keep(accepted, signal)) return { kind: 'accepted' };
      // Also for a content that is still held because the order in between never started.
      if (file.isDone(accepted)) this.#tellDone(accepted);
      this.#begin();
      return { kind: 'accepted' };
    });
  }

  /** An order that has not started never starts. A running one stops after the objects in progress. */
  async cancel(revision: number, signal: AbortSignal): Promise<void> {
    await this.#inTurn(async () => {
      const { file } = this;
      if (file.order?.revision !== revision || !file.isToDo) return;
      const order = await file.wholeOrder(signal);
      if (order !== undefined) await file.keep({ ...order, isCancelled: true }, () => {}, signal);
      this.#rouse();
    });
  }

  /** The cluster does not respond, so the last known state is stale. */
  lost(message: string): void {
    const { order, inventory } = this.file;
    const revision = this.file.isToDo ? order?.revision : inventory?.held?.revision;
    if (revision !== undefined) this.#status.say(revision, { kind: 'health', health: 'Unknown', message });
  }

  /**
   * Runs until the signal aborts and then throws its reason. Also throws when the state read from the cluster is out of
   * date.
   */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      this.#gapMs = GAP_MS + (this.file.inventory?.entries.length ?? 0) * GAP_PER_OBJECT_MS;
      const ms = await this.#step(signal);
      const gap = Math.min(ms, this.#gapMs);
      if (gap > 0) await this.#urgent.wait(gap, signal);
      await this.#wake.wait(ms - gap, signal);
    }
  }

  /** Returns how long to wait if nothing happens. */
  async #step(signal: AbortSignal): Promise<number> {
    const { lanes, onTrouble } = this.#deps;
    try {
      const lane = this.#attempts === 0 ? lanes.first : lanes.again;
      if (this.file.isToDo || this.#isToObserve) return await lane.pass(async () => await this.#work(signal), signal);
      const ms = this.#afterCare(await this.#care.look(signal));
      return Math.min(ms, await this.#settleInTime(signal));
    } catch (error) {
      signal.throwIfAborted();
      if (isOutdated(error)) throw error;
      onTrouble(error);
      const ms = this.#later(TROUBLE);
      if (this.#attempts > 2) this.lost(error instanceof Error ? error.message : String(error));
      return ms;
    }
  }

  get #isToObserve(): boolean {
    const { mode, order } = this.file;
    const isObserved = mode === 'observe' && order !== undefined && isDone(this.file, order);
    return isObserved && this.#deps.clock.now() >= this.#observeAt;
  }

  async #work(signal: AbortSignal): Promise<number> {
    const { file } = this;
    const facts = file.order;
    if (facts === undefined) return 0;
    if (file.torn !== undefined) return this.#failed(facts, { kind: 'failed', message: `${file.torn.message}.` });
    const mayTakeBack = (identity: string): boolean => this.#care.mayTakeBack(identity);
    const how = { file, mayTakeBack, asksServer: this.#attempts > 0 };
    const outcome = await carryOutOrder(this.#deps, how, signal);
    if (outcome.kind === 'applied' && facts.hash === undefined) await this.#forget(facts, signal);
    return this.#afterWork(facts, outcome);
  }

  #afterWork(facts: OrderFacts, outcome: Outcome): number {
    switch (outcome.kind) {
      case 'observed':
        this.#observeAt = this.#deps.clock.now() + OBSERVE_EVERY_MS;
        this.#done(facts);
        this.#tellObserved(facts, outcome);
        return OBSERVE_EVERY_MS;
      case 'applied':
      case 'released':
        this.#done(facts);
        return 0;
      case 'stopped':
        this.#attempts = 0;
        return this.file.isToDo ? 0 : RESYNC_MS;
      case 'waiting':
        return this.#waits(facts, outcome.message);
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
  #afterCare(outcome: CareOutcome): number {
    this.#isUnseen = outcome.kind === 'unseen';
    if (outcome.kind === 'fine' || outcome.kind === 'unseen') {
      this.#attempts = 0;
      if (this.#isUnseen) this.#gapMs -= GAP_MS - EAGER_GAP_MS;
      return this.#isUnseen ? UNSEEN_MS : RESYNC_MS;
    }
    if (outcome.kind === 'applied' || outcome.kind === 'stopped') return 0;
    return this.#later(outcome.kind === 'waiting' ? WAITING : FAILED);
  }

  #done(facts: OrderFacts): void {
    this.#attempts = 0;
    // The next order may have arrived while this one was finishing.
    if (this.file.order === facts || facts.hash === undefined) this.file.done();
    this.#care.begin();
    this.#tellDone(facts);
  }

  #tellDone({ revision, hash }: OrderFacts): void {
    this.#status.say(revision, hash === undefined ? { kind: 'removed' } : { kind: 'applied', hash });
  }

  #tellObserved({ revision }: OrderFacts, { changes }: Extract<Outcome, { kind: 'observed' }>): void {
    const differing = changes.filter(({ lines, refusal }) => lines.length > 0 || refusal !== undefined);
    const objects = differing.map(({ lines, refusal }) =>
      refusal === undefined ? lines.map((line) => line.trim()).join(' ') : refusal,
    );
    const message = `observed only; ${differing.length} of ${changes.length} objects differ`;
    this.#status.say(revision, { kind: 'health', health: 'Available', message });
    this.#status.drift(revision, listed(objects));
  }

  #waits({ revision }: OrderFacts, message: string): number {
    this.#status.say(revision, { kind: 'health', health: 'Unknown', message });
    return this.#later(WAITING);
  }

  #failed({ revision }: OrderFacts, { kind, message }: Extract<Outcome, { kind: 'failed' | 'rejected' }>): number {
    this.#status.say(revision, { kind, message });
    return this.#later(FAILED);
  }

  /** The longer an order keeps failing, the longer changes in the cluster are batched. */
  #later(policy: BackoffPolicy): number {
    this.#attempts += 1;
    this.#gapMs = Math.min(policy.baseMs * 2 ** Math.min(this.#attempts - 1, 4), FAILED.baseMs);
    return this.#gapMs + backoffDelay(policy, this.#attempts, this.#deps.random);
  }

  async #forget(facts: OrderFacts, signal: AbortSignal): Promise<void> {
    await this.#inTurn(async () => {
      if (this.file.order === facts) await this.file.forget(signal);
    });
  }

  /** Waits until all calls so far have been written or have failed. */
  async quiet(): Promise<void> {
    await this.#last.catch(() => {});
  }

  /** Writes the deferred inventory if possible, so that the next agent has less to do. */
  async settle(signal: AbortSignal): Promise<void> {
    await this.file.settle(signal).catch(() => {});
  }

  /** Writes the deferred inventory once it is due. Returns how long to wait. */
  async #settleInTime(signal: AbortSignal): Promise<number> {
    const { owedSince } = this.file;
    if (owedSince === undefined) return RESYNC_MS;
    const left = owedSince + OWED_MS - this.#deps.clock.now();
    if (left > 0) return left;
    await this.file.settle(signal);
    return RESYNC_MS;
  }

  /** Returns whether work has already started. */
  async #keep(order: AcceptedOrder, signal: AbortSignal): Promise<boolean> {
    let isBegun = false;
    const begin = (): void => {
      isBegun = true;
      this.#deps.kindsChanged();
      this.#begin();
    };
    await this.file.keep(order, begin, signal);
    // The order's health rules may require whole objects of some kinds.
    if (!isBegun) this.#deps.kindsChanged();
    return isBegun;
  }

  #begin(): void {
    this.#attempts = 0;
    this.#observeAt = 0;
    this.#rouse();
  }

  #rouse(): void {
    this.#urgent.notify();
    this.#wake.notify();
  }

  async #inTurn<T>(body: () => Promise<T>): Promise<T> {
    const turn = this.#last.catch(() => {}).then(body);
    this.#last = turn;
    return await turn;
  }
}

/** The state read from the cluster is out of date: another agent wrote there, or the cluster was rebuilt. */
export function isOutdated(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && (error.code === 'RECORD_CHANGED' || error.code === 'CLUSTER_REBUILT');
}
