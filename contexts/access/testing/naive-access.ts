import { canonicalJson } from '#kit/std';
import type { AccessChange, IndexedGrant, IndexedSchema } from '../domain/access-change.ts';
import type { Caller } from '../domain/asker.ts';
import type { Attributes } from '../domain/grant.ts';
import { PERMISSIONS } from '../domain/permission.ts';

interface Thing {
  /** `workspaces/web` */
  readonly path: string;
  readonly uid: string;
  readonly parent: string | undefined;
}

type BuiltIn = { readonly reach: string; readonly role: string };

const INCLUDED: Readonly<Record<string, readonly string[]>> = {
  viewer: ['viewer'],
  deployer: ['viewer', 'deployer'],
  approver: ['viewer', 'approver'],
  'cluster-viewer': ['viewer', 'cluster-viewer'],
  'cluster-editor': ['viewer', 'cluster-viewer', 'cluster-editor'],
  admin: ['viewer', 'deployer', 'approver', 'cluster-viewer', 'cluster-editor', 'admin'],
};

/**
 * The simplest correct implementation: a linear search for each question. It applies each change once and in order, and
 * ignores versions.
 */
export class NaiveAccess {
  readonly things: readonly Thing[];
  readonly grants: readonly IndexedGrant[];
  readonly schemas: readonly IndexedSchema[];

  constructor(its: Pick<NaiveAccess, 'things' | 'grants' | 'schemas'> = { things: [], grants: [], schemas: [] }) {
    ({ things: this.things, grants: this.grants, schemas: this.schemas } = its);
  }

  after(change: AccessChange): NaiveAccess {
    const { things, grants, schemas } = this;
    const others = <T extends { uid: string }>(all: readonly T[], uid: string) => all.filter((one) => one.uid !== uid);
    switch (change.kind) {
      case 'workspace':
      case 'target': {
        const above = change.kind === 'workspace' ? change.parent : change.workspace;
        const parent = above === undefined ? undefined : `workspaces/${above}`;
        const thing = { path: `${change.kind}s/${change.name}`, uid: change.uid, parent };
        return new NaiveAccess({ things: [...others(things, change.uid), thing], grants, schemas });
      }
      case 'workspaceDeleted':
      case 'targetDeleted':
        return new NaiveAccess({ things: others(things, change.uid), grants, schemas });
      case 'grant':
        return new NaiveAccess({ things, grants: [...grants, change.grant], schemas });
      case 'grantDeleted':
        return new NaiveAccess({ things, grants: others(grants, change.uid), schemas });
      case 'permissionSchema':
        return new NaiveAccess({ things, grants, schemas: [...others(schemas, change.schema.uid), change.schema] });
      case 'permissionSchemaDeleted':
        return new NaiveAccess({ things, grants, schemas: others(schemas, change.uid) });
    }
  }

  has(path: string): boolean {
    return this.things.some((thing) => thing.path === path);
  }

  /** Whether it is one of these, by name, or below one. Names of workspaces and targets differ in the histories. */
  isBelowAny(path: string, names: readonly string[]): boolean {
    return this.#upFrom(path).some((thing) => names.includes(thing.path.split('/')[1] ?? ''));
  }

  knows(permission: string): boolean {
    return permission in PERMISSIONS || this.schemas.some(({ name }) => name === permission);
  }

  /** `undefined` when denied; otherwise the sets of attributes as sorted strings. */
  ask(caller: Caller, permission: string, path: string): readonly string[] | undefined {
    const builtIn = (PERMISSIONS as Readonly<Record<string, BuiltIn>>)[permission];
    const schema = this.schemas.find(({ name }) => name === permission);
    if (builtIn === undefined && schema === undefined) return undefined;
    if (!this.things.some((thing) => thing.path === path)) return undefined;
    const line = this.#upFrom(builtIn?.reach === 'instance' ? 'workspaces/root' : path);
    const within = caller.scope?.within;
    if (within !== undefined && !line.some((thing) => thing.path === within)) return undefined;
    const his = this.grants.filter(
      (grant) => isHis(caller, grant) && line.some((thing) => thing.uid === grant.resource.uid),
    );
    const roles = rolesOf(caller, his);
    if (builtIn !== undefined) return roles.has(builtIn.role) ? [] : undefined;
    const implied = (schema?.roles ?? []).filter(({ role }) => roles.has(role)).map(({ attributes }) => attributes);
    const named = caller.scope?.roles === undefined ? his.flatMap(attributesFor(permission)) : [];
    const sets = [...new Set([...implied, ...named].map(canonicalJson))].sort();
    return sets.length === 0 ? undefined : sets;
  }

  /** The kinds and ids of all subjects with the permission, except the instance's own credential. */
  subjects(permission: string, path: string): string[] {
    const all = [...new Set(this.grants.map(({ subject }) => `${subject.kind}:${subject.id}`))];
    return all.filter((text) => this.ask(callerNamed(text), permission, path) !== undefined).sort();
  }

  #upFrom(path: string): Thing[] {
    const thing = this.things.find((one) => one.path === path);
    if (thing === undefined) return [];
    return [thing, ...(thing.parent === undefined ? [] : this.#upFrom(thing.parent))];
  }
}

/** `user:alice` */
function callerNamed(text: string): Caller {
  const [kind = '', id = ''] = text.split(':');
  return { kind, id };
}

function isHis({ kind, id, groups = [] }: Caller, { subject }: IndexedGrant): boolean {
  if (!['user', 'group', 'serviceAccount', 'admin'].includes(kind)) return false;
  if (subject.kind === 'group' && groups.includes(subject.id)) return true;
  return subject.kind === kind && subject.id === id;
}

function rolesOf(caller: Caller, his: readonly IndexedGrant[]): Set<string> {
  const granted = his.flatMap(({ gives }) => (gives.kind === 'role' ? [gives.role] : []));
  const all = [...granted, ...(caller.kind === 'admin' ? ['admin'] : [])].flatMap((role) => INCLUDED[role] ?? []);
  const allowed = caller.scope?.roles?.flatMap((role) => INCLUDED[role] ?? []);
  return new Set(all.filter((role) => allowed?.includes(role) ?? true));
}

function attributesFor(permission: string): (grant: IndexedGrant) => Attributes[] {
  return ({ gives }) => (gives.kind === 'permission' && gives.permission === permission ? [gives.attributes] : []);
}
