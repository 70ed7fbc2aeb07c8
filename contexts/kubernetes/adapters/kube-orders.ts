import type { KubeClient } from '#kit/kube';
import type { Document } from '#protocol/delivery';
import type { OrderStore, StoredRecords } from '../application/ports.ts';
import type { AcceptedOrder, OrderFacts } from '../domain/order.ts';
import { ChunkedSecrets } from './chunked-secrets.ts';
import { storedRecords } from './stored-records.ts';

export class KubeOrders implements OrderStore {
  readonly #secrets: ChunkedSecrets;

  constructor(client: KubeClient, namespace: string) {
    this.#secrets = new ChunkedSecrets({ client, namespace, what: 'order' });
  }

  async all(signal: AbortSignal): Promise<StoredRecords<OrderFacts>> {
    return await storedRecords(await this.#secrets.all(signal), async (found) => {
      // Read so that a corrupt record shows now, then dropped: documents may be large.
      await found.content();
      return JSON.parse(found.about) as OrderFacts;
    });
  }

  async read(deployment: string, signal: AbortSignal): Promise<AcceptedOrder | undefined> {
    const found = await this.#secrets.find(deployment, signal);
    if (found === undefined) return undefined;
    const documents = JSON.parse(await found.content()) as Document[];
    return { ...(JSON.parse(found.about) as OrderFacts), documents };
  }

  async save({ documents, ...facts }: AcceptedOrder, signal: AbortSignal): Promise<void> {
    const [about, content] = [JSON.stringify(facts), JSON.stringify(documents)];
    await this.#secrets.save({ id: facts.deployment, about, content }, signal);
  }

  async remove(deployment: string, signal: AbortSignal): Promise<void> {
    await this.#secrets.remove(deployment, signal);
  }
}
