import { type AccessChange, AccessIndex, type Caller, type IndexedGrant, ROLES } from '#contexts/access';
import { parseResourceName, parseUuid, type Uuid } from '#kit/std';
import { type SeededRandom, seededRandom } from '#testing/seeded';

export interface WorldSize {
  readonly workspaces: number;
  readonly targets: number;
  readonly grants: number;
}

export interface World {
  readonly index: AccessIndex;
  readonly callers: readonly Caller[];
  readonly targets: readonly string[];
  readonly random: SeededRandom;
  /** Milliseconds taken to apply everything. */
  readonly loadMs: number;
  /** Another grant like the others, not applied yet. */
  anotherGrant(): IndexedGrant;
}

const CALLERS = 2_000;
const GROUPS = 500;
const GROUPS_OF_EACH = 20;
const MAX_DEPTH = 16;

/**
 * An organisation in which most objects are deep down: a third of the tree is on its lowest levels. Every caller is in
 * twenty groups, and half of the grants are to groups, so that a check has many subjects to look up.
 */
export function buildWorld({ workspaces, targets, grants }: WorldSize, seed: number): World {
  const random = seededRandom(seed);
  let uids = 0;
  const newUid = (): Uuid => parseUuid(`00000000-0000-7000-8000-${String((uids += 1)).padStart(12, '0')}`);
  const places = plantTree({ workspaces, targets }, random, newUid);
  const anotherGrant = () => grantOn(random.pick(places.all), random, newUid());
  const changes = [
    ...places.changes,
    ...Array.from({ length: grants }, (): AccessChange => ({ kind: 'grant', grant: anotherGrant() })),
  ];
  const index = new AccessIndex();
  const begun = performance.now();
  for (const change of changes) index.apply(change);
  const loadMs = performance.now() - begun;
  const callers = Array.from({ length: CALLERS }, (_, nth) => callerOf(nth, random));
  return { index, callers, targets: places.targets, random, loadMs, anotherGrant };
}

type Place = IndexedGrant['resource'];

function plantTree(size: Omit<WorldSize, 'grants'>, random: SeededRandom, newUid: () => Uuid) {
  const nodes = [{ name: 'root', depth: 0 }];
  const all: Place[] = [];
  const changes: AccessChange[] = [
    { kind: 'workspace', name: 'root', uid: newUid(), generation: 1, parent: undefined },
  ];
  for (let nth = 0; nth < size.workspaces; nth += 1) {
    // The deeper of two random nodes, so that branches grow long; never below the lowest level.
    const [a, b] = [random.pick(nodes), random.pick(nodes)];
    const deeper = a.depth > b.depth ? a : b;
    const parent = deeper.depth < MAX_DEPTH ? deeper : (nodes[0] ?? deeper);
    const [name, uid] = [`w${nth}`, newUid()];
    nodes.push({ name, depth: parent.depth + 1 });
    all.push({ kind: 'workspace', name, uid });
    changes.push({ kind: 'workspace', name, uid, generation: 1, parent: parent.name });
  }
  const targets = Array.from({ length: size.targets }, (_, nth) => `t${nth}`);
  for (const name of targets) {
    const uid = newUid();
    all.push({ kind: 'target', name, uid });
    changes.push({ kind: 'target', name, uid, generation: 1, workspace: random.pick(nodes).name });
  }
  return { changes, targets, all };
}

function grantOn(resource: Place, random: SeededRandom, uid: Uuid): IndexedGrant {
  const toGroup = random.next() < 0.5;
  const id = toGroup ? `group-${random.integer(0, GROUPS - 1)}` : `user-${random.integer(0, CALLERS - 1)}@example.com`;
  return {
    uid,
    name: parseResourceName(uid),
    resource,
    subject: { kind: toGroup ? 'group' : 'user', id },
    gives: { kind: 'role', role: random.pick(ROLES) },
  };
}

function callerOf(nth: number, random: SeededRandom): Caller {
  const groups = Array.from({ length: GROUPS_OF_EACH }, () => `group-${random.integer(0, GROUPS - 1)}`);
  return { kind: 'user', id: `user-${nth}@example.com`, groups };
}
