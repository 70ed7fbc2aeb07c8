import type { TargetId, TargetRef } from '#protocol/targets';
import type { AgentDirectory, DeliveryAgent } from './ports.ts';

/** Whom an agent speaks for: targets that are its own, or all of a type that nobody speaks for by himself. */
export type Served = { readonly targets: readonly TargetId[] } | { readonly type: string };

/** Who is connected to this process. Of several that serve the same, the one that came last counts. */
export class AgentRegistry implements AgentDirectory {
  readonly #ofTarget = new Map<string, DeliveryAgent[]>();
  readonly #ofType = new Map<string, DeliveryAgent[]>();

  /** Call what is returned when it goes. Whom it had superseded counts again then. */
  register(agent: DeliveryAgent, served: Served): () => void {
    const [agents, keys] = 'type' in served ? [this.#ofType, [served.type]] : [this.#ofTarget, served.targets];
    for (const key of keys) agents.set(key, [...(agents.get(key) ?? []), agent]);
    let isThere = true;
    return () => {
      if (!isThere) return;
      isThere = false;
      for (const key of keys) withdraw(agents, key, agent);
    };
  }

  agentFor({ id, type }: TargetRef): DeliveryAgent | undefined {
    return this.#ofTarget.get(id)?.at(-1) ?? this.#ofType.get(type)?.at(-1);
  }
}

function withdraw(agents: Map<string, DeliveryAgent[]>, key: string, agent: DeliveryAgent): void {
  const there = agents.get(key) ?? [];
  const left = there.toSpliced(there.lastIndexOf(agent), 1);
  if (left.length === 0) agents.delete(key);
  else agents.set(key, left);
}
