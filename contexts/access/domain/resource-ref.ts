/**
 * The kinds of resources that can carry grants. A target is in a workspace, a workspace in its parent, up to the root.
 */
export const RESOURCE_KINDS = ['workspace', 'target'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

export interface ResourceRef {
  readonly kind: ResourceKind;
  readonly name: string;
}

/** The top of the tree. A grant on it holds in the whole instance. */
export const ROOT: ResourceRef = { kind: 'workspace', name: 'root' };

/** The permission to see a resource. Without it, the resource looks like one that does not exist (404). */
export const SEEING = { workspace: 'workspaces.read', target: 'targets.read' } as const satisfies Record<
  ResourceKind,
  string
>;

const COLLECTIONS = { workspace: 'workspaces', target: 'targets' } as const satisfies Record<ResourceKind, string>;

/** `workspaces/web`, as the API names it. */
export function pathOf({ kind, name }: ResourceRef): string {
  return `${COLLECTIONS[kind]}/${name}`;
}

/** `undefined` when it is not the path of a workspace or target. */
export function parseResourcePath(raw: string): ResourceRef | undefined {
  for (const kind of RESOURCE_KINDS) {
    const prefix = `${COLLECTIONS[kind]}/`;
    if (raw.length > prefix.length && raw.startsWith(prefix)) return { kind, name: raw.slice(prefix.length) };
  }
  return undefined;
}

export function isSameResource(a: ResourceRef, b: ResourceRef): boolean {
  return a.kind === b.kind && a.name === b.name;
}
