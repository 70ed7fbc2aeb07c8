import { assertNever, canonicalJson } from '#kit/std';
import type { WorkspacePatch } from '../domain/patch-workspace.ts';
import type { WorkspaceErrorCode } from '../domain/workspace-error.ts';
import type { WorkspaceEventType } from '../domain/workspace-event.ts';

/** One thing that somebody asks for. `seen` is the version that he believes the workspace to have. */
export type WorkspaceCommand =
  | { readonly kind: 'create'; readonly name: string; readonly parent: string; readonly labels: Record<string, string> }
  | { readonly kind: 'patch'; readonly name: string; readonly patch: WorkspacePatch; readonly seen: number | undefined }
  | { readonly kind: 'delete'; readonly name: string; readonly seen: number | undefined };

interface Known {
  readonly parent: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly version: number;
}

/** The tree in the plainest way that does the same: a map, and a list of what happened. */
export class WorkspaceModel {
  readonly tree: ReadonlyMap<string, Known>;
  readonly events: readonly string[];

  constructor(tree: ReadonlyMap<string, Known>, events: readonly string[] = []) {
    this.tree = tree;
    this.events = events;
  }

  /** What comes of it: the model after it, or the code of the refusal. */
  after(command: WorkspaceCommand): WorkspaceModel | WorkspaceErrorCode {
    switch (command.kind) {
      case 'create': {
        if (this.tree.has(command.name)) return 'NAME_TAKEN';
        if (!this.tree.has(command.parent)) return 'PARENT_NOT_FOUND';
        return this.#with('workspace.created', command.name, { ...command, version: 1 });
      }
      case 'patch': {
        const known = this.tree.get(command.name);
        if (known === undefined) return 'WORKSPACE_NOT_FOUND';
        if ((command.seen ?? known.version) !== known.version) return 'VERSION_STALE';
        const labels = merged(known.labels, command.patch.labels);
        if (canonicalJson(labels) === canonicalJson(known.labels)) return this;
        return this.#with('workspace.updated', command.name, { ...known, labels, version: known.version + 1 });
      }
      case 'delete': {
        const known = this.tree.get(command.name);
        if (known === undefined) return 'WORKSPACE_NOT_FOUND';
        if ((command.seen ?? known.version) !== known.version) return 'VERSION_STALE';
        if (command.name === 'root') return 'ROOT_IS_FIXED';
        if ([...this.tree.values()].some(({ parent }) => parent === command.name)) return 'WORKSPACE_NOT_EMPTY';
        return this.#with('workspace.deleted', command.name, undefined);
      }
      default:
        return assertNever(command, 'command');
    }
  }

  /** In the order of names, as the service would list it. */
  list(parent?: string): unknown[] {
    return [...this.tree]
      .filter(([, known]) => parent === undefined || known.parent === parent)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, known]) => ({ name, parent: known.parent, labels: known.labels, version: known.version }));
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
