import type { Uuid } from '#kit/std';
import { type DeliveryPolicy, separatePolicy } from '../domain/delivery-policy.ts';
import type { FieldPattern } from '../domain/field-pattern.ts';
import { patternsFor } from '../domain/ignore-fields.ts';
import type { ApplySetInventory } from '../domain/inventory.ts';
import type { KubeObject } from '../domain/kube-object.ts';
import { KubernetesError } from '../domain/kubernetes-error.ts';
import { type AcceptedOrder, isDone, type Known, type OrderFacts } from '../domain/order.ts';
import type { ClusterPorts, FollowedKind, KindRef } from './ports.ts';

/** Records read from the cluster for one deployment. */
export interface DeploymentRecords extends Known {
  readonly corrupt?: KubernetesError | undefined;
}

type Stores = Pick<ClusterPorts, 'orders' | 'inventories'>;

/**
 * State of a deployment in a cluster. Caches the stored records as far as they are needed in memory. The caller runs all
 * writes one after another.
 */
export class DeploymentState {
  readonly deployment: Uuid;
  /** Set if the record cannot be read. Nothing is applied until an operator repairs it. */
  readonly corrupt: KubernetesError | undefined;
  /** Resource versions after our last writes, by identity. The watch may be behind them. */
  readonly versions = new Map<string, string>();
  readonly #ports: Stores;
  #order: OrderFacts | undefined;
  /** The order with its documents, while there is work to do. */
  #whole: AcceptedOrder | undefined;
  #policy: DeliveryPolicy | undefined;
  #inventory: ApplySetInventory | undefined;
  /** The inventory as stored in the cluster. It is behind while a write is deferred. */
  #stored: ApplySetInventory | undefined;
  #owedSince: number | undefined;
  /** Accepted, but not saved in the cluster yet. */
  #unsaved: AcceptedOrder | undefined;
  #kinds: readonly KindRef[] = [];
  #isTouched = false;

  constructor(ports: Stores, deployment: Uuid, { order, inventory, corrupt }: DeploymentRecords) {
    this.#ports = ports;
    this.deployment = deployment;
    this.corrupt = corrupt;
    this.#setOrder(order);
    this.#stored = inventory;
    this.#setInventory(inventory);
    // The previous agent may have started on it.
    this.#isTouched = order !== undefined && !isDone(this, order);
  }

  get order(): OrderFacts | undefined {
    return this.#order;
  }

  get inventory(): ApplySetInventory | undefined {
    return this.#inventory;
  }

  /** Kinds in the inventory, each once. */
  get kinds(): readonly FollowedKind[] {
    const rules = this.#order?.healthRules ?? [];
    return this.#kinds.map((each) => ({ ...each, isWhole: rules.some(({ kind }) => kind === each.kind) }));
  }

  get mode(): DeliveryPolicy['mode'] {
    return this.#policy?.mode ?? 'manage';
  }

  get isToDo(): boolean {
    return this.#order !== undefined && !this.#order.isCancelled && (this.#isTouched || !isDone(this, this.#order));
  }

  /**
   * Whether nothing is left to do for the order. Also true if the order is held from before and no work has started
   * since.
   */
  isDone(order: Pick<OrderFacts, 'revision' | 'hash'>): boolean {
    return !this.#isTouched && isDone(this, order);
  }

  /** From now until an order completes, objects may differ from the inventory. */
  touch(): void {
    this.#isTouched = true;
  }

  patternsFor(object: KubeObject): readonly FieldPattern[] {
    return this.#policy === undefined ? [] : patternsFor(object, this.#policy.ignoreFields);
  }

  async saveInventory(inventory: ApplySetInventory, signal: AbortSignal): Promise<void> {
    await this.#ports.inventories.save(inventory, signal);
    this.#stored = inventory;
    this.#owedSince = undefined;
    this.#setInventory(inventory);
  }

  /** Keeps the inventory in memory; it must be written soon. */
  defer(inventory: ApplySetInventory, now: number): void {
    this.#owedSince ??= now;
    this.#setInventory(inventory);
  }

  /** Since when the stored inventory has been behind. */
  get owedSince(): number | undefined {
    return this.#owedSince;
  }

  async settle(signal: AbortSignal): Promise<void> {
    if (this.#owedSince !== undefined && this.#inventory !== undefined)
      await this.saveInventory(this.#inventory, signal);
  }

  /**
   * Before an order is accepted. If the stored inventory already claims to hold it, the next agent would believe that
   * nothing happened in between.
   */
  async disclaim({ revision, hash }: OrderFacts, signal: AbortSignal): Promise<void> {
    const held = this.#stored?.held;
    const isSaidToBe = held !== undefined && held.revision === revision && held.hash === hash;
    if (this.#inventory === undefined || !isSaidToBe || this.isDone({ revision, hash })) return;
    const { held: _, ...rest } = this.#inventory;
    await this.saveInventory(rest, signal);
  }

  /**
   * Whether work on the order may begin before it is saved: the previous order is done and both orders carry contents, so
   * the objects are known and the stored records stay valid.
   */
  mayBeginWith({ hash, isCancelled }: AcceptedOrder): boolean {
    const before = this.#order;
    const isAfterOne = before?.hash !== undefined && !before.isCancelled && this.isDone(before);
    return isAfterOne && this.isSaved && hash !== undefined && !isCancelled;
  }

  /** The order counts from now on. It must be saved with `saveBegun` before any other order is. */
  begin(order: AcceptedOrder): void {
    this.#take(order);
    this.#unsaved = order;
  }

  /** The order counts once it is saved. */
  async saveOrder(order: AcceptedOrder, signal: AbortSignal): Promise<void> {
    await this.#ports.orders.save(order, signal);
    this.#unsaved = undefined;
    this.#take(order);
  }

  get isSaved(): boolean {
    return this.#unsaved === undefined;
  }

  /** Saves the order that was begun, unless it is saved already. */
  async saveBegun(signal: AbortSignal): Promise<void> {
    const order = this.#unsaved;
    if (order === undefined) return;
    await this.#ports.orders.save(order, signal);
    if (this.#unsaved === order) this.#unsaved = undefined;
  }

  /** The inventory stays, without objects: it remembers which revision was seen. */
  async forget(signal: AbortSignal): Promise<void> {
    await this.#ports.orders.remove(this.deployment, signal);
    this.#whole = undefined;
    this.#setOrder(undefined);
  }

  /** `undefined` if there is no order, or if another order arrived meanwhile. */
  async wholeOrder(signal: AbortSignal): Promise<AcceptedOrder | undefined> {
    const facts = this.#order;
    if (facts === undefined) return undefined;
    if (this.#whole !== undefined) return this.#whole;
    const read = await this.#ports.orders.read(this.deployment, signal);
    if (this.#order !== facts) return undefined;
    if (read?.revision === facts.revision && read.hash === facts.hash) return read;
    throw new KubernetesError(
      'RECORD_CHANGED',
      `read the order of ${this.deployment}: it is not the one that was accepted`,
    );
  }

  /** The order was carried out completely. */
  done(): void {
    this.#isTouched = false;
    this.letGo();
  }

  /** Documents may be large. Once the order is done they are only needed again to compare or repair drift. */
  letGo(): void {
    this.#whole = undefined;
  }

  #take(order: AcceptedOrder): void {
    this.#whole = order;
    this.#setOrder(order);
  }

  #setInventory(inventory: ApplySetInventory | undefined): void {
    this.#inventory = inventory;
    const kinds = new Map(inventory?.entries.map(({ key }) => [`${key.apiVersion}/${key.kind}`, key]));
    this.#kinds = [...kinds.values()].map(({ apiVersion, kind }) => ({ apiVersion, kind }));
  }

  #setOrder(order: OrderFacts | undefined): void {
    const { documents: _, ...facts } = (order ?? {}) as AcceptedOrder;
    this.#order = order && facts;
    const separated = separatePolicy(order?.policy === undefined ? [] : [order.policy]);
    this.#policy = separated.kind === 'separated' ? separated.policy : undefined;
  }
}
