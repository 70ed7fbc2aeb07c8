import type { JsonObject } from '#kit/std';
import { type FieldFault, RESOURCE_NAME_MAX_LENGTH, RESOURCE_NAME_PATTERN } from '#kit/std';

/** A deployment without the workspace, which is the group's. Its name is short: the deployment's has the group's before it. */
export type ChildDeployment = JsonObject & {
  readonly name: string;
  readonly manifest: JsonObject & { readonly type: string };
};

/** Several deployments that are one: they come in steps, and go in reverse. */
export type DeploymentGroupSpec = {
  readonly type: 'deploymentGroup';
  readonly deployments: readonly ChildDeployment[];
  /** A step begins when all of the one before are healthy. Left out, there is one step of them all. */
  readonly sequence?: readonly { readonly step: readonly string[] }[];
  readonly onFailure?: 'halt' | 'rollback';
};

/** Groups within groups. Deeper than any application, and a bound on what one delete can set off. */
export const MAX_GROUP_DEPTH = 8;

/** What is wrong with one child, beyond its name: its strategies are the business of whoever knows them. */
export type ChildFaults = (child: ChildDeployment, at: string) => readonly FieldFault[];

/** The short names of the children, step by step. */
export function stepsOf({ deployments, sequence }: DeploymentGroupSpec): readonly (readonly string[])[] {
  return sequence?.map(({ step }) => step) ?? [deployments.map(({ name }) => name)];
}

/** All of it at once, with what is wrong in groups within the group. */
export function groupFaults(spec: DeploymentGroupSpec, at: string, childFaults: ChildFaults): FieldFault[] {
  return faultsWithin(spec, at, { childFaults, above: [] });
}

/** A child that is a group itself. */
export function asGroup({ manifest }: ChildDeployment): DeploymentGroupSpec | undefined {
  // The schema that the manifest has passed is chosen by its type.
  return manifest.type === 'deploymentGroup' ? (manifest as unknown as DeploymentGroupSpec) : undefined;
}

interface Within {
  readonly childFaults: ChildFaults;
  readonly above: readonly DeploymentGroupSpec[];
}

function faultsWithin(spec: DeploymentGroupSpec, at: string, { childFaults, above }: Within): FieldFault[] {
  if (above.includes(spec)) return [{ path: at, message: 'must not be a group that is within itself' }];
  if (above.length >= MAX_GROUP_DEPTH)
    return [{ path: at, message: `must not be deeper than ${MAX_GROUP_DEPTH} groups` }];
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
    if (names.indexOf(name) < index) return [{ path, message: `is ${name}, as another one is already` }];
    if (new RegExp(RESOURCE_NAME_PATTERN).test(name) && name.length <= RESOURCE_NAME_MAX_LENGTH) return [];
    return [{ path, message: 'must be 1 to 63 lower-case letters, digits and inner hyphens' }];
  });
}

/** Each child is in exactly one step: a sequence that forgets one would never deploy it. */
function sequenceFaults({ deployments, sequence }: DeploymentGroupSpec, at: string): FieldFault[] {
  if (sequence === undefined) return [];
  const known = new Set(deployments.map(({ name }) => name));
  const seen = new Set<string>();
  const faults = sequence.flatMap(({ step }, index): FieldFault[] => {
    if (step.length === 0) return [{ path: `${at}/${index}/step`, message: 'must name a deployment' }];
    return step.flatMap((name, place) => {
      const path = `${at}/${index}/step/${place}`;
      if (!known.has(name)) return [{ path, message: `names ${name}, which is no deployment of the group` }];
      if (seen.has(name)) return [{ path, message: `names ${name} a second time` }];
      seen.add(name);
      return [];
    });
  });
  const forgotten = [...known].filter((name) => !seen.has(name));
  return [...faults, ...forgotten.map((name) => ({ path: at, message: `must have ${name} in one of its steps` }))];
}
