import { assertNever, canonicalJson } from '#kit/std';
import type { WorkspacePatch } from '../domain/patch-workspace.ts';
import type { WorkspaceErrorCode } from '../domain/workspace-error.ts';
import type { WorkspaceEventType } from '../domain/workspace-event.ts';

/** A request. `seen` is the version that the caller expects the workspace to have. */
export type WorkspaceCommand =
  | Create
  | { readonly kind: 'patch'; readonly name: string; readonly patch: WorkspacePatch; readonly seen: number | undefined }
  | { readonly kind: 'move'; readonly name: string; readonly parent: string; readonly seen: number | undefined }
  | { readonly kind: 'delete'; readonly name: string; readonly seen: number | undefined };

interface Create {
  readonly kind: 'create';
  readonly name: string;
  readonly as: string;
  readonly parent: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface Known {
  readonly kind: string;
  readonly parent: string | undefined;
  readonly region: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly version: number;
}

type Outcome = WorkspaceModel | WorkspaceErrorCode;

/** The simplest model of the tree: a map, and a list of events. */
export class WorkspaceModel {
  readonly tree: ReadonlyMap<string, Known>;
  readonly events: readonly string[];

  constructor(tree: ReadonlyMap<string, Known>, events: readonly string[] = []) {
    this.tree = tree;
    this.events = events;
  }

  /** The outcome: the next model, or the code of the refusal. */
  after(command: WorkspaceCommand): Outcome {
    if (command.kind === 'create') return this.#created(command);
    const known = this.tree.get(command.name);
    if (known === undefined) return 'WORKSPACE_NOT_FOUND';
    if ((command.seen ?? known.version) !== known.version) return 'VERSION_STALE';
    switch (command.kind) {
      case 'patch':
        return this.#patched(command.name, known, command.patch);
      case 'move':
        return this.#moved(command.name, known, command.parent);
      case 'delete':
        if (command.name === 'root') return 'ROOT_IS_FIXED';
        if ([...this.tree.values()].some(({ parent }) => parent === command.name)) return 'WORKSPACE_NOT_EMPTY';
        return this.#with('workspace.deleted', command.name, undefined);
      default:
        return assertNever(command, 'command');
    }
  }

  /** Ordered by name, as the service lists it; with a parent, only what is in it, directly or at any level. */
  list(parent?: string, subtree = false): unknown[] {
    const isIn = (name: string, known: Known): boolean =>
      subtree ? name !== parent && this.#lineage(name).includes(parent ?? '') : known.parent === parent;
    return [...this.tree]
      .filter(([name, known]) => parent === undefined || isIn(name, known))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, known]) => ({ name, ...known }));
  }

  #created({ name, as: kind, parent, labels }: Create): Outcome {
    if (this.tree.has(name)) return 'NAME_TAKEN';
    if (!this.tree.has(parent)) return 'PARENT_NOT_FOUND';
    if (!this.#mayBeIn(kind, parent, kind === 'domain')) return 'WRONG_PARENT';
    const region = kind === 'project' ? this.tree.get(parent)?.region : undefined;
    return this.#with('workspace.created', name, { kind, parent, region, labels, version: 1 });
  }

  #patched(name: string, known: Known, patch: WorkspacePatch): Outcome {
    const { kind } = known;
    if (patch.region !== undefined && (kind === 'project' || (kind === 'folder' && patch.region !== null))) {
      return 'INVALID_WORKSPACE';
    }
    const region = patch.region === undefined ? known.region : (patch.region ?? undefined);
    const labels = merged(known.labels, patch.labels);
    if (region === known.region && canonicalJson(labels) === canonicalJson(known.labels)) return this;
    const own = this.#with('workspace.updated', name, { ...known, region, labels, version: known.version + 1 });
    return [...own.tree]
      .filter(([, each]) => each.parent === name && each.kind === 'project' && each.region !== region)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .reduce<WorkspaceModel>(
        (model, [project, each]) =>
          model.#with('workspace.updated', project, { ...each, region, version: each.version + 1 }),
        own,
      );
  }

  #moved(name: string, known: Known, parent: string): Outcome {
    if (!this.tree.has(parent)) return 'PARENT_NOT_FOUND';
    if (name === 'root') return 'ROOT_IS_FIXED';
    if (known.parent === parent) return this;
    if (this.#lineage(parent).includes(name)) return 'MOVE_INTO_ITSELF';
    const holdsDomain = [...this.tree].some(
      ([each, { kind }]) => kind === 'domain' && this.#lineage(each).includes(name),
    );
    if (!this.#mayBeIn(known.kind, parent, holdsDomain)) return 'WRONG_PARENT';
    const region = known.kind === 'project' ? this.tree.get(parent)?.region : known.region;
    return this.#with('workspace.moved', name, { ...known, parent, region, version: known.version + 1 });
  }

  #mayBeIn(kind: string, parent: string, holdsDomain: boolean): boolean {
    const above = this.#lineage(parent).map((name) => this.tree.get(name)?.kind);
    if (kind === 'project' && above[0] !== 'domain') return false;
    if (kind === 'domain' && above[0] !== 'folder') return false;
    return !(holdsDomain && above.includes('project'));
  }

  /** From the workspace up to the root. */
  #lineage(name: string): string[] {
    const parent = this.tree.get(name)?.parent;
    return parent === undefined ? [name] : [name, ...this.#lineage(parent)];
  }

  #with(event: WorkspaceEventType, name: string, known: Known | undefined): WorkspaceModel {
    const tree = new Map(this.tree);
    if (known === undefined) tree.delete(name);
    else tree.set(name, known);
    return new WorkspaceModel(tree, [...this.events, `${event} ${name}`]);
  }
}

function merged(labels: Known['labels'], patch: WorkspacePatch['labels']): Known['labels'] {
  if (patch === undefined) return labels;
  if (patch === null) return {};
  const both: Record<string, string | null> = { ...labels, ...patch };
  return Object.fromEntries(Object.entries(both).flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
}
