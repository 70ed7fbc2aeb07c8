import type { OrderStore, StoredRecords } from '../application/ports.ts';
import type { AcceptedOrder, OrderFacts } from '../domain/order.ts';
import { MemoryRecords, type SharedRecords } from './memory-records.ts';

export class MemoryOrders implements OrderStore {
  readonly records: MemoryRecords<AcceptedOrder>;
  /** Called before each write or removal; a throw simulates the end of the agent. */
  beforeWrite: () => void | Promise<void> = () => {};

  constructor(shared: SharedRecords<AcceptedOrder> = new Map()) {
    this.records = new MemoryRecords(shared);
  }

  async all(signal: AbortSignal): Promise<StoredRecords<OrderFacts>> {
    signal.throwIfAborted();
    return { records: this.records.all().map(factsOf), corrupt: [] };
  }

  async read(deployment: string, signal: AbortSignal): Promise<AcceptedOrder | undefined> {
    signal.throwIfAborted();
    return this.records.read(deployment);
  }

  async save(order: AcceptedOrder, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.beforeWrite();
    this.records.save(order.deployment, order);
  }

  async remove(deployment: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.beforeWrite();
    this.records.remove(deployment);
  }
}

function factsOf(order: AcceptedOrder): OrderFacts {
  const { documents: _, ...facts } = order;
  return facts;
}
