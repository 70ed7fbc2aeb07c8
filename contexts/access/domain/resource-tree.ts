import { Departed } from './departed.ts';
import type { ResourceKind, ResourceRef } from './resource-ref.ts';

export interface ResourceNode extends ResourceRef {
  readonly uid: string;
  readonly generation: number;
  /** The name of the containing workspace; `undefined` for the root only. */
  readonly parent: string | undefined;
}

/** The names of the direct children of a workspace. */
interface Contents {
  readonly workspace: Set<string>;
  readonly target: Set<string>;
}

/** Deeper than the tree can be. Changes from two sources can briefly form a cycle, and a walk must end then too. */
const MAX_LEVELS = 32;

/**
 * The tree of workspaces and targets. Refers to parents by name, so that a child may arrive before its parent; until
 * then the child inherits nothing.
 */
export class ResourceTree {
  readonly #nodes: Readonly<Record<ResourceKind, Map<string, ResourceNode>>> = {
    workspace: new Map(),
    target: new Map(),
  };
  readonly #byUid = new Map<string, ResourceNode>();
  readonly #contents = new Map<string, Contents>();
  readonly #departed = new Departed();

  find({ kind, name }: ResourceRef): ResourceNode | undefined {
    return this.#nodes[kind].get(name);
  }

  findByUid(uid: string): ResourceNode | undefined {
    return this.#byUid.get(uid);
  }

  above(node: ResourceNode): ResourceNode | undefined {
    return node.parent === undefined ? undefined : this.#nodes.workspace.get(node.parent);
  }

  /** The node itself first, the root last. */
  lineage(node: ResourceNode): ResourceNode[] {
    const found: ResourceNode[] = [];
    for (let at: ResourceNode | undefined = node; at && found.length < MAX_LEVELS; at = this.above(at)) found.push(at);
    return found;
  }

  /** Visits the node itself and its descendants of this kind, unordered. */
  visitDown(node: ResourceNode, kind: ResourceKind, visit: (name: string) => void): void {
    if (node.kind === kind) visit(node.name);
    if (node.kind === 'target') return;
    const seen = new Set([node.name]);
    for (const name of seen) {
      const contents = this.#contents.get(name);
      if (contents === undefined) continue;
      for (const inside of contents[kind]) visit(inside);
      for (const child of contents.workspace) seen.add(child);
    }
  }

  /** Ignores deleted resources and outdated changes. */
  put(node: ResourceNode): void {
    if (this.#departed.has(node.uid)) return;
    const there = this.find(node);
    if (there !== undefined) {
      if (!isNewer(node, there)) return;
      this.#detach(there);
    }
    this.#nodes[node.kind].set(node.name, node);
    this.#byUid.set(node.uid, node);
    if (node.parent !== undefined) this.#contentsOf(node.parent)[node.kind].add(node.name);
  }

  remove(uid: string): void {
    this.#departed.add(uid);
    const node = this.#byUid.get(uid);
    if (node === undefined) return;
    this.#detach(node);
    this.#nodes[node.kind].delete(node.name);
  }

  #detach({ uid, parent, kind, name }: ResourceNode): void {
    this.#byUid.delete(uid);
    if (parent === undefined) return;
    const contents = this.#contentsOf(parent);
    contents[kind].delete(name);
    if (contents.workspace.size + contents.target.size === 0) this.#contents.delete(parent);
  }

  #contentsOf(workspace: string): Contents {
    const known = this.#contents.get(workspace);
    if (known !== undefined) return known;
    const none: Contents = { workspace: new Set(), target: new Set() };
    this.#contents.set(workspace, none);
    return none;
  }
}

/** UUIDv7 uids grow with time: of two resources with one name, the later has the greater uid. */
function isNewer(node: ResourceNode, there: ResourceNode): boolean {
  return node.uid === there.uid ? node.generation > there.generation : node.uid > there.uid;
}
