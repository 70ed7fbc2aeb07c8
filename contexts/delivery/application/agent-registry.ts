import type { TargetId, TargetRef } from '#protocol/targets';
import type { AgentDirectory, DeliveryAgent } from './ports.ts';

/** The targets that an agent serves: its own, or all of a type that have no agent of their own. */
export type Served = { readonly targets: readonly TargetId[] } | { readonly type: string };

/** The agents connected to this process. Of several that serve the same target, the latest counts. */
export class AgentRegistry implements AgentDirectory {
  readonly #ofTarget = new Map<string, DeliveryAgent[]>();
  readonly #ofType = new Map<string, DeliveryAgent[]>();

  /** Returns the function that unregisters the agent. The agent that it had superseded then counts again. */
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
