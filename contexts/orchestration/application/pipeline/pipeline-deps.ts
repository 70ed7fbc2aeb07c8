import type { Clock, Random, Sleep, Uuid } from '#kit/std';
import type { ManifestRegistry } from '../../domain/manifest/manifest-strategy.ts';
import type { Fingerprint } from '../../domain/manifest/split-secrets.ts';
import type { PlacementRegistry } from '../../domain/placement/placement-registry.ts';
import type { GateRegistry } from '../../domain/rollout/gates/gate.ts';
import type { RolloutRegistry } from '../../domain/rollout/rollout-strategy.ts';
import type { TargetRouter, Units } from '../ports.ts';
import type { GenerationSlots } from './generation/generation-slots.ts';
import type { PipelineSettings } from './pipeline-settings.ts';

/** The registered strategies and gates. */
export interface Strategies {
  readonly manifests: ManifestRegistry;
  readonly placements: PlacementRegistry;
  readonly rollouts: RolloutRegistry;
  readonly gates: GateRegistry;
}

export interface PipelineDeps {
  readonly units: Units;
  readonly strategies: Strategies;
  readonly router: TargetRouter;
  readonly fingerprint: Fingerprint;
  readonly slots: GenerationSlots;
  /** For approvals. */
  readonly newId: () => Uuid;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly settings?: Partial<PipelineSettings>;
}
