import fc from 'fast-check';
import { parseResourceName, parseUuid, type Uuid } from '#kit/std';
import type { AccessChange } from '../domain/access-change.ts';
import type { Caller } from '../domain/asker.ts';
import type { Gift } from '../domain/grant.ts';
import { pathOf } from '../domain/resource-ref.ts';
import { ROLES, type Role } from '../domain/role.ts';
import type { Subject } from '../domain/subject.ts';

export const WORKSPACES = ['root', 'a', 'b', 'c', 'd', 'e'];
export const TARGETS = ['t1', 't2', 't3', 't4'];
export const PATHS = [...WORKSPACES.map((name) => `workspaces/${name}`), ...TARGETS.map((name) => `targets/${name}`)];
const ADDON_PERMISSIONS = ['logs-read', 'metrics-query'];
/** One permission of each reach and role, those of addons, and one that does not exist. */
export const ASKED = [
  'workspaces.read',
  'targets.read',
  'grants.create',
  'issuers.read',
  ...ADDON_PERMISSIONS,
  'no.such',
];

/**
 * One action of a random history. Numbers select among the resources that exist when the action runs, so that nearly
 * every generated action has an effect; impossible ones are skipped.
 */
export type Deed =
  | { readonly do: 'makeWorkspace' | 'makeTarget'; readonly name: number; readonly parent: number }
  | { readonly do: 'move'; readonly thing: number; readonly parent: number }
  | { readonly do: 'delete'; readonly thing: number }
  | { readonly do: 'grant'; readonly thing: number; readonly subject: Subject; readonly gives: Gift }
  | { readonly do: 'revoke'; readonly grant: number }
  | { readonly do: 'putSchema'; readonly name: string; readonly roles: readonly Role[] }
  | { readonly do: 'dropSchema'; readonly name: string };

const chosen = fc.nat(999);
const path = fc.constantFrom(...PATHS);
const addonPermission = fc.constantFrom(...ADDON_PERMISSIONS);
const attributes = fc.constantFrom<Record<string, unknown>>({}, { tenant: 'x' }, { tenant: 'y' });
const subject: fc.Arbitrary<Subject> = fc.constantFrom<Subject>(
  { kind: 'user', id: 'alice' },
  { kind: 'user', id: 'bob' },
  { kind: 'group', id: 'alice' },
  { kind: 'group', id: 'ops' },
  { kind: 'serviceAccount', id: 'bot' },
);
const gives: fc.Arbitrary<Gift> = fc.oneof(
  fc.record({ kind: fc.constant('role'), role: fc.constantFrom(...ROLES) }),
  fc.record({ kind: fc.constant('permission'), permission: addonPermission, attributes }),
);

const made = { name: chosen, parent: chosen };
export const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('makeWorkspace'), ...made }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('makeTarget'), ...made }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('move'), thing: chosen, parent: chosen }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete'), thing: chosen }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant('grant'), thing: chosen, subject, gives }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('revoke'), grant: chosen }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('putSchema'),
      name: addonPermission,
      roles: fc.uniqueArray(fc.constantFrom(...ROLES)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('dropSchema'), name: addonPermission }) },
);

const scope = fc.record({ within: path, roles: fc.subarray([...ROLES]) }, { requiredKeys: [] });

export const caller: fc.Arbitrary<Caller> = fc.record(
  {
    kind: fc.constantFrom('user', 'user', 'group', 'serviceAccount', 'admin', 'fleetlet'),
    id: fc.constantFrom('alice', 'bob', 'ops', 'bot'),
    groups: fc.subarray(['alice', 'ops', 'nobody']),
    scope,
  },
  { requiredKeys: ['kind', 'id'] },
);

interface Known {
  readonly kind: 'workspace' | 'target';
  readonly name: string;
  readonly uid: string;
  readonly parent: string | undefined;
  readonly generation: number;
}

/** Obeys the rules of the rest of the platform, and returns the changes that each action causes. */
export class AccessHistory {
  readonly #things = new Map<string, Known>();
  readonly #grants: { readonly uid: Uuid; readonly on: string }[] = [];
  readonly #schemas = new Map<string, { uid: Uuid; version: number }>();
  #uids = 0;

  /** The root exists from the beginning. */
  begin(): AccessChange[] {
    return [this.#put({ kind: 'workspace', name: 'root', uid: this.#uid(), parent: undefined, generation: 1 })];
  }

  do(deed: Deed): AccessChange[] {
    switch (deed.do) {
      case 'makeWorkspace':
        return this.#make('workspace', deed);
      case 'makeTarget':
        return this.#make('target', deed);
      case 'move':
        return this.#move(deed);
      case 'delete':
        return this.#delete(deed.thing);
      case 'grant':
        return this.#grant(deed);
      case 'revoke':
        return this.#grants.splice(deed.grant % (this.#grants.length + 1), 1).map(({ uid }) => goneGrant(uid));
      case 'putSchema':
        return this.#putSchema(deed);
      case 'dropSchema':
        return this.#dropSchema(deed.name);
    }
  }

  #make(kind: Known['kind'], { name: nth, parent }: { name: number; parent: number }): AccessChange[] {
    const all = kind === 'workspace' ? WORKSPACES : TARGETS;
    const free = all.filter((each) => !this.#things.has(`${kind}s/${each}`));
    const name = free[nth % (free.length || 1)];
    if (name === undefined) return [];
    return [this.#put({ kind, name, uid: this.#uid(), parent: this.#workspace(parent).name, generation: 1 })];
  }

  #move({ thing, parent }: { thing: number; parent: number }): AccessChange[] {
    const known = this.#thing(thing);
    const { name } = this.#workspace(parent);
    if (known.parent === undefined || this.#isAtOrBelow(name, known)) return [];
    return [this.#put({ ...known, parent: name, generation: known.generation + 1 })];
  }

  /** The grants of a resource are deleted together with it. */
  #delete(nth: number): AccessChange[] {
    const all = [...this.#things.values()];
    const empty = all.filter(({ kind, name, parent }) => {
      const holdsNone = kind === 'target' || all.every((other) => other.parent !== name);
      return parent !== undefined && holdsNone;
    });
    const known = empty[nth % (empty.length || 1)];
    if (known === undefined) return [];
    this.#things.delete(pathOf(known));
    const its = this.#grants.filter(({ on }) => on === known.uid);
    for (const grant of its) this.#grants.splice(this.#grants.indexOf(grant), 1);
    return [...its.map(({ uid }) => goneGrant(uid)), { kind: `${known.kind}Deleted`, uid: known.uid }];
  }

  #grant({ thing, subject, gives }: Extract<Deed, { do: 'grant' }>): AccessChange[] {
    const { kind, name, uid: on } = this.#thing(thing);
    const uid = this.#uid();
    this.#grants.push({ uid, on });
    const resource = { kind, name, uid: on };
    return [{ kind: 'grant', grant: { uid, name: parseResourceName(uid), resource, subject, gives } }];
  }

  #putSchema({ name, roles }: Extract<Deed, { do: 'putSchema' }>): AccessChange[] {
    const { uid, version } = this.#schemas.get(name) ?? { uid: this.#uid(), version: 0 };
    this.#schemas.set(name, { uid, version: version + 1 });
    const implying = roles.map((role) => ({ role, attributes: { by: role } }));
    const schema = { name: parseResourceName(name), uid, version: version + 1, roles: implying };
    return [{ kind: 'permissionSchema', schema }];
  }

  #dropSchema(name: string): AccessChange[] {
    const known = this.#schemas.get(name);
    if (known === undefined) return [];
    this.#schemas.delete(name);
    return [{ kind: 'permissionSchemaDeleted', uid: known.uid }];
  }

  #thing(nth: number): Known {
    return pick([...this.#things.values()], nth);
  }

  #workspace(nth: number): Known {
    const workspaces = [...this.#things.values()].filter(({ kind }) => kind === 'workspace');
    return pick(workspaces, nth);
  }

  #isAtOrBelow(workspace: string, known: Known): boolean {
    for (let at = this.#things.get(`workspaces/${workspace}`); at; at = this.#things.get(`workspaces/${at.parent}`)) {
      if (at.uid === known.uid) return true;
    }
    return false;
  }

  #put(known: Known): AccessChange {
    this.#things.set(pathOf(known), known);
    const { name, uid, generation, parent } = known;
    if (known.kind === 'workspace') return { kind: 'workspace', name, uid, generation, parent };
    return { kind: 'target', name, uid, generation, workspace: parent ?? '' };
  }

  #uid(): Uuid {
    return parseUuid(`00000000-0000-7000-8000-${String((this.#uids += 1)).padStart(12, '0')}`);
  }
}

function pick<T>(items: readonly T[], nth: number): T {
  const item = items[nth % items.length];
  if (item === undefined) throw new RangeError('pick one of nothing');
  return item;
}

function goneGrant(uid: string): AccessChange {
  return { kind: 'grantDeleted', uid };
}
