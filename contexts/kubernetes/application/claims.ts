import type { ApplySetInventory } from '../domain/inventory.ts';
import { identityOf, type ObjectKey } from '../domain/kube-object.ts';

/**
 * Which deployment has which object of a cluster: what inventories say, and what is being decided right now, since
 * deployments are carried out at the same time and two may want the same new object.
 */
export class Claims {
  readonly #owners = new Map<string, string>();
  readonly #claimed = new Map<string, Set<string>>();

  /** The deployment that has it already, if that is another; otherwise it is this one's until it is settled. */
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

  /** It has what is in its inventory, and nothing else. */
  settle(deployment: string, inventory: ApplySetInventory | undefined): void {
    for (const identity of this.#claimed.get(deployment) ?? []) this.#owners.delete(identity);
    this.#claimed.delete(deployment);
    for (const { key } of inventory?.entries ?? []) {
      // Two inventories never have the same object; if somebody made it so, the first one keeps it.
      if (!this.#owners.has(identityOf(key))) this.#add(deployment, identityOf(key));
    }
  }

  #add(deployment: string, identity: string): void {
    this.#owners.set(identity, deployment);
    const its = this.#claimed.get(deployment) ?? new Set();
    this.#claimed.set(deployment, its.add(identity));
  }
}
