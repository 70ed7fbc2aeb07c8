import type { ApplySetInventory } from '../domain/inventory.ts';
import { identityOf, type ObjectKey } from '../domain/kube-object.ts';

/**
 * Which deployment owns which object of a cluster. Combines the inventories with claims in progress, because
 * deployments run concurrently and two may want the same new object.
 */
export class Claims {
  readonly #owners = new Map<string, string>();
  readonly #claimed = new Map<string, Set<string>>();

  /** Returns the other deployment that owns the object. Otherwise claims it for this deployment until `settle`. */
  claim(deployment: string, key: ObjectKey): string | undefined {
    const identity = identityOf(key);
    const owner = this.#owners.get(identity);
    if (owner !== undefined && owner !== deployment) return owner;
    this.#add(deployment, identity);
    return undefined;
  }

  ownerOf(key: ObjectKey): string | undefined {
    return this.#owners.get(identityOf(key));
  }

  /** From now on the deployment owns exactly the objects in its inventory. */
  settle(deployment: string, inventory: ApplySetInventory | undefined): void {
    for (const identity of this.#claimed.get(deployment) ?? []) this.#owners.delete(identity);
    this.#claimed.delete(deployment);
    for (const { key } of inventory?.entries ?? []) {
      // Two inventories never share an object. If they were edited so that they do, the first one keeps it.
      if (!this.#owners.has(identityOf(key))) this.#add(deployment, identityOf(key));
    }
  }

  #add(deployment: string, identity: string): void {
    this.#owners.set(identity, deployment);
    const its = this.#claimed.get(deployment) ?? new Set();
    this.#claimed.set(deployment, its.add(identity));
  }
}
