import type { Uuid } from '#kit/std';
import { type DeliveryPolicy, separatePolicy } from '../domain/delivery-policy.ts';
import type { FieldPattern } from '../domain/field-pattern.ts';
import { patternsFor } from '../domain/ignore-fields.ts';
import type { ApplySetInventory } from '../domain/inventory.ts';
import type { KubeObject } from '../domain/kube-object.ts';
import { KubernetesError } from '../domain/kubernetes-error.ts';
import { type AcceptedOrder, isDone, type Known, type OrderFacts } from '../domain/order.ts';
import type { ClusterPorts, FollowedKind, KindRef } from './ports.ts';

/** What was read of a deployment. */
export interface Found extends Known {
  readonly torn?: KubernetesError | undefined;
}

type Stores = Pick<ClusterPorts, 'orders' | 'inventories'>;

/** What is known of a deployment in a cluster: what is kept there, as far as it has to be at hand. */
export class DeploymentFile {
  readonly deployment: Uuid;
  /** It cannot be read, and nothing is done about it before somebody mended that. */
  readonly torn: KubernetesError | undefined;
  /** As the server had them after we wrote them, by identity: a watch may be behind. */
  readonly versions = new Map<string, string>();
  readonly #ports: Stores;
  #order: OrderFacts | undefined;
  /** With its documents, as long as there is work to do. */
  #whole: AcceptedOrder | undefined;
  #policy: DeliveryPolicy | undefined;
  #inventory: ApplySetInventory | undefined;
  /** As the cluster has it: behind, as long as it is owed. */
  #stored: ApplySetInventory | undefined;
  #owedSince: number | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** Taken, and not in the cluster yet. */
  #unkept: AcceptedOrder | undefined;
  #keeping: Promise<void> = Promise.resolve();
  #kinds: readonly KindRef[] = [];
  #isTouched = false;

  constructor(ports: Stores, deployment: Uuid, { order, inventory, torn }: Found) {
    this.#ports = ports;
    this.deployment = deployment;
    this.torn = torn;
    this.#setOrder(order);
    this.#stored = inventory;
    this.#setInventory(inventory);
    // Whoever was here before may have begun with it.
    this.#isTouched = order !== undefined && !isDone(this, order);
  }

  get order(): OrderFacts | undefined {
    return this.#order;
  }

  get inventory(): ApplySetInventory | undefined {
    return this.#inventory;
  }

  /** Of what is in its inventory, each once. */
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

  /** Whether nothing is left to do for it: also one that is there still, if nothing was begun since. */
  isDone(order: Pick<OrderFacts, 'revision' | 'hash'>): boolean {
    return !this.#isTouched && isDone(this, order);
  }

  /** Objects may be other than the inventory says, until an order was carried out to its end. */
  touch(): void {
    this.#isTouched = true;
  }

  patternsFor(object: KubeObject): readonly FieldPattern[] {
    return this.#policy === undefined ? [] : patternsFor(object, this.#policy.ignoreFields);
  }

  async save(inventory: ApplySetInventory, signal: AbortSignal): Promise<void> {
    await this.#inTurn(async () => await this.#write(inventory, signal));
  }

  /** It is not in the cluster yet, and is to be written soon. */
  defer(inventory: ApplySetInventory, now: number): void {
    this.#owedSince ??= now;
    this.#setInventory(inventory);
  }

  /** Since when the cluster has an inventory that is behind. */
  get owedSince(): number | undefined {
    return this.#owedSince;
  }

  async settle(signal: AbortSignal): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#owedSince !== undefined && this.#inventory !== undefined) await this.#write(this.#inventory, signal);
    });
  }

  /** Resolves once the cluster has it. `begin` is called where that need not be waited for. */
  async keep(order: AcceptedOrder, begin: () => void, signal: AbortSignal): Promise<void> {
    await this.#disclaim(order, signal);
    if (this.#mayBeginWith(order)) {
      this.#take(order);
      this.#unkept = order;
      begin();
      await this.kept(signal);
      return;
    }
    await this.#inOrder(async () => {
      await this.#ports.orders.save(order, signal);
      // At once: whoever waits for the one before must not write it over this one.
      this.#unkept = undefined;
    });
    this.#take(order);
  }

  get isKept(): boolean {
    return this.#unkept === undefined;
  }

  /** Until the cluster has the order that was taken last. Where that failed it is tried again. */
  async kept(signal: AbortSignal): Promise<void> {
    await this.#inOrder(async () => {
      const order = this.#unkept;
      if (order === undefined) return;
      await this.#ports.orders.save(order, signal);
      if (this.#unkept === order) this.#unkept = undefined;
    });
  }

  /** The inventory stays, without objects: it remembers which revision was seen. */
  async forget(signal: AbortSignal): Promise<void> {
    await this.#ports.orders.remove(this.deployment, signal);
    this.#whole = undefined;
    this.#setOrder(undefined);
  }

  /** `undefined` when there is none, or another one has come meanwhile. */
  async wholeOrder(signal: AbortSignal): Promise<AcceptedOrder | undefined> {
    const facts = this.#order;
    if (facts === undefined) return undefined;
    if (this.#whole !== undefined) return this.#whole;
    const read = await this.#ports.orders.read(this.deployment, signal);
    if (this.#order !== facts) return undefined;
    if (read?.revision === facts.revision && read.hash === facts.hash) return read;
    throw new KubernetesError(
      'RECORD_CHANGED',
      `read the order of ${this.deployment}: it is not the one that was taken`,
    );
  }

  /** It was carried out to its end. */
  done(): void {
    this.#isTouched = false;
    this.letGo();
  }

  /** Documents may be large, and once all is done nobody needs them until something differs. */
  letGo(): void {
    this.#whole = undefined;
  }

  /** The one before is done, and both are about contents: the objects are known, and what is kept of them stays true. */
  #mayBeginWith({ hash, isCancelled }: AcceptedOrder): boolean {
    const before = this.#order;
    const isAfterOne = before?.hash !== undefined && !before.isCancelled && this.isDone(before);
    return isAfterOne && this.isKept && hash !== undefined && !isCancelled;
  }

  #take(order: AcceptedOrder): void {
    this.#whole = order;
    this.#setOrder(order);
  }

  /** Whoever comes next would believe that nothing came between, if this is what the cluster says is held. */
  async #disclaim({ revision, hash }: OrderFacts, signal: AbortSignal): Promise<void> {
    await this.#inTurn(async () => {
      const held = this.#stored?.held;
      const isSaidToBe = held !== undefined && held.revision === revision && held.hash === hash;
      if (this.#inventory === undefined || !isSaidToBe || this.isDone({ revision, hash })) return;
      const { held: _, ...rest } = this.#inventory;
      await this.#write(rest, signal);
    });
  }

  async #write(inventory: ApplySetInventory, signal: AbortSignal): Promise<void> {
    await this.#ports.inventories.save(inventory, signal);
    this.#stored = inventory;
    this.#owedSince = undefined;
    this.#setInventory(inventory);
  }

  /** Orders are written on condition, so one after the other. */
  async #inOrder(body: () => Promise<void>): Promise<void> {
    const turn = this.#keeping.catch(() => {}).then(body);
    this.#keeping = turn;
    await turn;
  }

  /** Inventories are written on condition, so one after the other. */
  async #inTurn(body: () => Promise<void>): Promise<void> {
    const turn = this.#writing.catch(() => {}).then(body);
    this.#writing = turn;
    await turn;
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
