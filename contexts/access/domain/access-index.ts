import { assertNever } from '#kit/std';
import type { AccessChange } from './access-change.ts';
import type { AccessState } from './access-state.ts';
import type { Asker } from './asker.ts';
import { allows, attributesOn, type Question, rolesOn } from './decide-access.ts';
import { type Explanation, explainAccess } from './explain-access.ts';
import type { Attributes } from './grant.ts';
import { GrantBook } from './grant-book.ts';
import {
  type LookupRange,
  type PermittedResource,
  permittedResources,
  permittedSubjects,
  type ResourceLookup,
} from './lookup-access.ts';
import { PermissionBook } from './permission-book.ts';
import type { ResourceRef } from './resource-ref.ts';
import { type ResourceNode, ResourceTree } from './resource-tree.ts';
import { NO_ROLES, type RoleSet } from './role.ts';
import type { Subject } from './subject.ts';
import { type VisibleSet, visibleSet } from './visible-set.ts';

/**
 * The access state in memory: tree, grants and permissions. Loaded once, then updated by every change. Each part
 * derives from a single change, so nothing ever has to be rebuilt.
 */
export class AccessIndex {
  readonly #state: AccessState = {
    tree: new ResourceTree(),
    grants: new GrantBook(),
    permissions: new PermissionBook(),
  };

  readonly #watchers = new Set<() => void>();

  /** Calls the watcher after each change that may have revoked a right. Returns a function that stops it. */
  onLoss(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Idempotent; old changes may arrive late. */
  apply(change: AccessChange): void {
    const mayTakeAway = this.#mayTakeAway(change);
    this.#take(change);
    if (mayTakeAway) for (const watcher of this.#watchers) watcher();
  }

  /** A new grant, a new resource and a repeated change revoke nothing. When in doubt, it counts as a loss. */
  #mayTakeAway(change: AccessChange): boolean {
    if (change.kind === 'grant') return false;
    if (change.kind !== 'workspace' && change.kind !== 'target') return true;
    const there = this.#state.tree.find(change);
    const parent = change.kind === 'target' ? change.workspace : change.parent;
    return there !== undefined && (there.uid !== change.uid || there.parent !== parent);
  }

  #take(change: AccessChange): void {
    const { tree, grants, permissions } = this.#state;
    switch (change.kind) {
      case 'workspace': {
        const { kind, name, uid, generation, parent } = change;
        return tree.put({ kind, name, uid, generation, parent });
      }
      case 'target': {
        const { kind, name, uid, generation, workspace: parent } = change;
        return tree.put({ kind, name, uid, generation, parent });
      }
      case 'workspaceDeleted':
      case 'targetDeleted':
        return tree.remove(change.uid);
      case 'grant':
        return grants.add(change.grant);
      case 'grantDeleted':
        return grants.remove(change.uid);
      case 'permissionSchema':
        return permissions.put(change.schema);
      case 'permissionSchemaDeleted':
        return permissions.remove(change.uid);
      default:
        return assertNever(change, 'access change');
    }
  }

  knowsPermission(permission: string): boolean {
    return this.#state.permissions.ruleOf(permission) !== undefined;
  }

  knows(resource: ResourceRef): boolean {
    return this.#state.tree.find(resource) !== undefined;
  }

  /** The resource itself first, the root last; empty for an unknown resource. */
  lineageOf(resource: ResourceRef): ResourceNode[] {
    const node = this.#state.tree.find(resource);
    return node === undefined ? [] : this.#state.tree.lineage(node);
  }

  allows(asker: Asker, question: Question): boolean {
    return allows(this.#state, asker, question);
  }

  rolesOn(asker: Asker, resource: ResourceRef): RoleSet {
    const node = this.#state.tree.find(resource);
    return node === undefined ? NO_ROLES : rolesOn(this.#state, asker, node);
  }

  attributesOn(asker: Asker, question: Question): Attributes[] {
    return attributesOn(this.#state, asker, question);
  }

  visible(asker: Asker, permission: string): VisibleSet {
    return visibleSet(this.#state, asker, permission);
  }

  permittedResources(asker: Asker, lookup: ResourceLookup): PermittedResource[] {
    return permittedResources(this.#state, asker, lookup);
  }

  permittedSubjects(question: Question, range: LookupRange): Subject[] {
    return permittedSubjects(this.#state, question, range);
  }

  explain(asker: Asker, question: Question): Explanation {
    return explainAccess(this.#state, asker, question);
  }
}
