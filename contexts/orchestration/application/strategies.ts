import type { Clock } from '#kit/std';
import type { ManifestRegistry, ManifestStrategy } from '../domain/manifest/manifest-strategy.ts';
import type { PlacementRegistry } from '../domain/placement/placement-registry.ts';
import type { PlacementStrategy } from '../domain/placement/placement-strategy.ts';
import type { GateRegistry } from '../domain/rollout/gates/gate.ts';
import type { RolloutRegistry, RolloutStrategy } from '../domain/rollout/rollout-strategy.ts';
import type { Strategies } from './pipeline/pipeline-deps.ts';
import type { Units } from './ports.ts';

/** Strategies that are registered together. */
export interface AddedStrategies {
  readonly manifests?: readonly ManifestStrategy[];
  readonly placements?: readonly PlacementStrategy[];
  readonly rollouts?: readonly RolloutStrategy[];
}

/** All strategies of this process, by type. Its registries show what was registered later, too. */
export class StrategyRegistry implements Strategies {
  readonly gates: GateRegistry;
  readonly #manifests: Map<string, ManifestStrategy>;
  readonly #placements: Map<string, PlacementStrategy>;
  readonly #rollouts: Map<string, RolloutStrategy>;

  constructor({ manifests, placements, rollouts, gates }: Strategies) {
    this.#manifests = new Map(manifests);
    this.#placements = new Map(placements);
    this.#rollouts = new Map(rollouts);
    this.gates = gates;
  }

  get manifests(): ManifestRegistry {
    return this.#manifests;
  }

  get placements(): PlacementRegistry {
    return this.#placements;
  }

  get rollouts(): RolloutRegistry {
    return this.#rollouts;
  }

  /** Throws, and registers none of them, if one is of a type that is registered already. */
  add({ manifests = [], placements = [], rollouts = [] }: AddedStrategies): void {
    refuseKnown('manifest', manifests, this.#manifests);
    refuseKnown('placement', placements, this.#placements);
    refuseKnown('rollout', rollouts, this.#rollouts);
    for (const strategy of manifests) this.#manifests.set(strategy.type, strategy);
    for (const strategy of placements) this.#placements.set(strategy.type, strategy);
    for (const strategy of rollouts) this.#rollouts.set(strategy.type, strategy);
  }
}

export interface RegisterDeps {
  readonly registry: StrategyRegistry;
  readonly units: Pick<Units, 'write'>;
  readonly clock: Clock;
}

/**
 * Registers strategies while the platform runs. Deployments that could not be planned are planned again at once: they may
 * have waited for one of these. Should that fail, they are planned again by themselves, within minutes.
 */
export async function registerStrategies(
  { registry, units, clock }: RegisterDeps,
  added: AddedStrategies,
  signal: AbortSignal,
): Promise<void> {
  registry.add(added);
  const types = (added.manifests ?? []).map(({ type }) => type);
  const now = clock.now();
  await units.write(async ({ deployments, removals }) => {
    await removals.hurry(types, now, signal);
    for (const uid of await deployments.blocked(signal)) await deployments.wake(uid, signal);
  }, signal);
}

function refuseKnown(
  what: string,
  added: readonly { readonly type: string }[],
  known: ReadonlyMap<string, unknown>,
): void {
  const types = new Set(known.keys());
  for (const { type } of added) {
    if (types.has(type)) throw new TypeError(`two ${what} strategies are of type ${type}`);
    types.add(type);
  }
}
