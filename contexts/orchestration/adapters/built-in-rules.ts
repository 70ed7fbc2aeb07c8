import type { SpecRules } from '../domain/deployment/spec-faults.ts';
import { builtInManifests } from '../domain/manifest/built-in-manifests.ts';
import { createPlacementRegistry } from '../domain/placement/placement-registry.ts';
import { BUILT_IN_GATES } from '../domain/rollout/gates/built-in-gates.ts';
import { BUILT_IN_ROLLOUTS } from '../domain/rollout/strategies/built-in-rollouts.ts';
import { draftShape } from './draft-shape.ts';
import { healthRuleFault } from './health-rule-language.ts';
import { readTemplateText } from './read-template-text.ts';

/** The built-in strategies. Those of addons are added here, registry by registry. */
export function builtInRules(): SpecRules {
  return {
    manifests: builtInManifests({ readText: readTemplateText }),
    placements: createPlacementRegistry(),
    rollouts: BUILT_IN_ROLLOUTS,
    gates: BUILT_IN_GATES,
    shape: draftShape,
    expressionFault: healthRuleFault,
  };
}
