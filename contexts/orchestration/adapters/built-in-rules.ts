import type { Strategies } from '../application/pipeline/pipeline-deps.ts';
import { StrategyRegistry } from '../application/strategies.ts';
import type { SpecRules } from '../domain/deployment/spec-faults.ts';
import { builtInManifests } from '../domain/manifest/built-in-manifests.ts';
import { createPlacementRegistry } from '../domain/placement/placement-registry.ts';
import { BUILT_IN_GATES } from '../domain/rollout/gates/built-in-gates.ts';
import { BUILT_IN_ROLLOUTS } from '../domain/rollout/strategies/built-in-rollouts.ts';
import { healthRuleFault } from './health-rule-language.ts';
import { draftShape } from './http/draft-shape.ts';
import { readTemplateText } from './read-template-text.ts';

/** The built-in strategies and gates. Others are registered with them, also while the platform runs. */
export function builtInStrategies(): StrategyRegistry {
  return new StrategyRegistry({
    manifests: builtInManifests({ readText: readTemplateText }),
    placements: createPlacementRegistry(),
    rollouts: BUILT_IN_ROLLOUTS,
    gates: BUILT_IN_GATES,
  });
}

/** The rules that this instance checks drafts with. */
export function builtInRules({ manifests, placements, rollouts, gates }: Strategies = builtInStrategies()): SpecRules {
  return {
    manifests,
    placements,
    rollouts,
    gates,
    shape: draftShape,
    expressionFault: healthRuleFault,
  };
}
