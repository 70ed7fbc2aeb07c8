import type { JsonObject } from '#kit/std';
import { type FieldFault, RESOURCE_NAME_MAX_LENGTH, RESOURCE_NAME_PATTERN } from '#kit/std';

/**
 * A deployment without a workspace: it lives in that of the group. `name` is short; the deployment is named
 * `<group>-<name>`.
 */
export type ChildDeployment = JsonObject & {
  readonly name: string;
  readonly manifest: JsonObject & { readonly type: string };
};

/** Several deployments managed as one: created in steps, deleted in reverse order. */
export type DeploymentGroupSpec = {
  readonly type: 'deploymentGroup';
  readonly deployments: readonly ChildDeployment[];
  /** A step begins when all deployments of the one before are healthy. By default all are in one step. */
  readonly sequence?: readonly { readonly step: readonly string[] }[];
  readonly onFailure?: 'halt' | 'rollback';
};

/** Nesting limit for groups: deeper than any application, and a bound on what one delete can trigger. */
export const MAX_GROUP_DEPTH = 8;

/** The faults of one child besides its name. The caller checks the child's own strategies. */
export type ChildFaults = (child: ChildDeployment, at: string) => readonly FieldFault[];

/** The short names of the children, by step. */
export function stepsOf({ deployments, sequence }: DeploymentGroupSpec): readonly (readonly string[])[] {
  return sequence?.map(({ step }) => step) ?? [deployments.map(({ name }) => name)];
}

/** All faults at once, including those of groups within the group. */
export function groupFaults(spec: DeploymentGroupSpec, at: string, childFaults: ChildFaults): FieldFault[] {
  return faultsWithin(spec, at, { childFaults, above: [] });
}

/** The spec of a child that is a group itself. */
export function asGroup({ manifest }: ChildDeployment): DeploymentGroupSpec | undefined {
  // The manifest has passed the schema of its type.
  return manifest.type === 'deploymentGroup' ? (manifest as unknown as DeploymentGroupSpec) : undefined;
}

interface Within {
  readonly childFaults: ChildFaults;
  readonly above: readonly DeploymentGroupSpec[];
}

function faultsWithin(spec: DeploymentGroupSpec, at: string, { childFaults, above }: Within): FieldFault[] {
  if (above.includes(spec)) return [{ path: at, message: 'must not be a group that contains itself' }];
  if (above.length >= MAX_GROUP_DEPTH)
    return [{ path: at, message: `must not be nested deeper than ${MAX_GROUP_DEPTH} groups` }];
  const inner = { childFaults, above: [...above, spec] };
  return [
    ...nameFaults(spec.deployments, `${at}/deployments`),
    ...sequenceFaults(spec, `${at}/sequence`),
    ...spec.deployments.flatMap((child, index) => {
      const group = asGroup(child);
      const path = `${at}/deployments/${index}`;
      const faults = childFaults(child, path);
      return group === undefined ? faults : [...faults, ...faultsWithin(group, `${path}/manifest`, inner)];
    }),
  ];
}

function nameFaults(children: readonly ChildDeployment[], at: string): FieldFault[] {
  if (children.length === 0) return [{ path: at, message: 'must have at least one deployment' }];
  const names = children.map(({ name }) => name);
  return names.flatMap((name, index) => {
    const path = `${at}/${index}/name`;
    if (names.indexOf(name) < index)
      return [{ path, message: `is ${name}, which another deployment of the group has already` }];
    if (new RegExp(RESOURCE_NAME_PATTERN).test(name) && name.length <= RESOURCE_NAME_MAX_LENGTH) return [];
    return [{ path, message: 'must be 1 to 63 lower-case letters, digits and inner hyphens' }];
  });
}

/** Each child must be in exactly one step: one that no step names would never be deployed. */
function sequenceFaults({ deployments, sequence }: DeploymentGroupSpec, at: string): FieldFault[] {
  if (sequence === undefined) return [];
  const known = new Set(deployments.map(({ name }) => name));
  const seen = new Set<string>();
  const faults = sequence.flatMap(({ step }, index): FieldFault[] => {
    if (step.length === 0) return [{ path: `${at}/${index}/step`, message: 'must name a deployment' }];
    return step.flatMap((name, place) => {
      const path = `${at}/${index}/step/${place}`;
      if (!known.has(name)) return [{ path, message: `names ${name}, which is not a deployment of the group` }];
      if (seen.has(name)) return [{ path, message: `names ${name} a second time` }];
      seen.add(name);
      return [];
    });
  });
  const forgotten = [...known].filter((name) => !seen.has(name));
  return [...faults, ...forgotten.map((name) => ({ path: at, message: `must have ${name} in one of its steps` }))];
}
