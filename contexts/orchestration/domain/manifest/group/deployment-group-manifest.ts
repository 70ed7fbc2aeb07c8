import type { Document } from '#protocol/delivery';
import type { Generated, ManifestStrategy } from '../manifest-strategy.ts';
import { parsedUnless } from '../parsed.ts';
import { childName } from './child-name.ts';
import { type ChildFaults, type DeploymentGroupSpec, groupFaults, stepsOf } from './deployment-group.ts';

/** Only platforms hold deployments. */
const TARGET_TYPES = ['local', 'platform'] as const;

export interface DeploymentGroupDeps {
  readonly childFaults: ChildFaults;
}

/**
 * Generates one document, which the group's controller on the target platform carries out, with the children's full
 * names.
 */
export function deploymentGroupManifest({ childFaults }: DeploymentGroupDeps) {
  return {
    type: 'deploymentGroup',
    isLiteral: true,
    parse: (spec, at) => parsedUnless(groupFaults(spec, at, childFaults), () => spec),
    reads: () => [],
    fits: () => TARGET_TYPES,
    generate: (spec, { deployment }): Generated => ({
      kind: 'generated',
      documents: [groupDocument(deployment.name, spec)],
    }),
  } as const satisfies ManifestStrategy<DeploymentGroupSpec, DeploymentGroupSpec>;
}

function groupDocument(group: string, spec: DeploymentGroupSpec): Document {
  return {
    apiVersion: 'fleetshift.io/v1',
    kind: 'DeploymentGroup',
    metadata: { name: group },
    spec: {
      deployments: spec.deployments.map((child) => ({ ...child, name: childName(group, child.name) })),
      sequence: stepsOf(spec).map((step) => ({ step: step.map((child) => childName(group, child)) })),
      onFailure: spec.onFailure ?? 'halt',
    },
  };
}
