import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import { FleetError, parseResourceName } from '#kit/std';
import { type Storage, sql, type Transaction } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { testSeed } from '#testing/seeded';
import { composeFleet, FLEET_MODULES } from './fleet.ts';

const signal = new AbortController().signal;
const anyState = { check: () => {} };
const everything = { kind: 'everything' } as const;

type Command =
  | { readonly kind: 'create' | 'move'; readonly workspace: string; readonly parent: string }
  | { readonly kind: 'drop'; readonly workspace: string }
  | { readonly kind: 'register' | 'assign'; readonly target: string; readonly workspace: string }
  | { readonly kind: 'delete'; readonly target: string };

const workspace = fc.constantFrom('a', 'b', 'c', 'd');
const place = fc.constantFrom('root', 'a', 'b', 'c', 'd');
const target = fc.constantFrom('t', 'u', 'v');
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create'), workspace, parent: place }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('move'), workspace, parent: place }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('drop'), workspace }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('register'), target, workspace: place }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('assign'), target, workspace: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete'), target }) },
);
/** The initial objects, so that there is something to move and to delete. */
const BEGIN: readonly Command[] = [
  { kind: 'create', workspace: 'a', parent: 'root' },
  { kind: 'create', workspace: 'b', parent: 'a' },
  { kind: 'create', workspace: 'c', parent: 'root' },
  { kind: 'register', target: 't', workspace: 'b' },
  { kind: 'register', target: 'u', workspace: 'c' },
];
/** The commands of one inner list are sent concurrently. */
const story = fc.array(fc.array(command, { minLength: 1, maxLength: 5 }), { minLength: 4, maxLength: 12, size: 'max' });

eachDatabase('a target', (fresh, engine) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open(FLEET_MODULES);
  });
  after(async () => await database.dispose());

  it('is never in two workspaces or in none, whatever happens at the same time', async () => {
    const kept = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(story, async (moments) => {
        await beginAnew();
        for (const commands of moments) {
          const outcomes = await Promise.all(commands.map((each) => outcomeOf(each)));
          commands.forEach(({ kind }, nth) => {
            if (outcomes[nth] === 'done') kept.set(kind, (kept.get(kind) ?? 0) + 1);
          });
          await checkPlaces();
        }
        await checkHistory();
      }),
      { numRuns: engine === 'sqlite' ? 40 : 20, seed: testSeed() },
    );
    for (const kind of ['create', 'move', 'drop', 'register', 'assign', 'delete']) {
      assert.ok((kept.get(kind) ?? 0) > 5, `${kind} was kept ${kept.get(kind)} times, too few to prove anything`);
    }
  });

  async function beginAnew(): Promise<void> {
    // From the leaves up, since a parent cannot be deleted while it has a child.
    const rows = await storage.all(
      sql`SELECT name FROM workspaces WHERE name <> 'root' ORDER BY length(path) DESC`,
      signal,
    );
    await storage.commit(
      [
        ...rows.map((row) => sql`DELETE FROM workspaces WHERE name = ${row['name'] ?? null}`),
        sql`DELETE FROM targets`,
        sql`DELETE FROM outbox`,
      ],
      signal,
    );
    for (const each of BEGIN) assert.equal(await outcomeOf(each), 'done');
  }

  async function outcomeOf(asked: Command): Promise<string> {
    try {
      await storage.write((tx) => execute(asked, tx), signal);
      return 'done';
    } catch (error) {
      // A refusal is a valid answer; a race lost for good, or any other error, is not.
      if (
        error instanceof FleetError &&
        error.entry.category !== 'unavailable' &&
        error.entry.category !== 'internal'
      ) {
        return error.code;
      }
      throw error;
    }
  }

  async function execute(asked: Command, tx: Transaction): Promise<void> {
    const fleet = composeFleet(storage);
    const [workspaces, targets] = [fleet.workspaceUnit(tx), fleet.targetUnit(tx)];
    const change = { precondition: anyState, now: Date.now() };
    switch (asked.kind) {
      case 'create':
        await fleet.workspaces.create(
          workspaces,
          { draft: { name: asked.workspace, parent: asked.parent }, ...change },
          signal,
        );
        return;
      case 'move': {
        const [name, parent] = [parseResourceName(asked.workspace), parseResourceName(asked.parent)];
        await fleet.workspaces.move(workspaces, { ...change, name, parent }, signal);
        return;
      }
      case 'drop':
        await fleet.workspaces.delete(workspaces, { ...change, name: parseResourceName(asked.workspace) }, signal);
        return;
      case 'register': {
        const draft = { name: asked.target, type: 'directory', workspace: asked.workspace };
        await fleet.targets.register(targets, { ...change, draft }, signal);
        return;
      }
      case 'assign': {
        const [name, to] = [parseResourceName(asked.target), parseResourceName(asked.workspace)];
        await fleet.targets.assign(targets, { ...change, name, workspace: to }, signal);
        return;
      }
      case 'delete':
        await fleet.targets.delete(targets, { ...change, name: parseResourceName(asked.target), force: true }, signal);
    }
  }

  /** Each target is in exactly one existing workspace, and in the subtrees of that one and its ancestors only. */
  async function checkPlaces(): Promise<void> {
    const { workspaceReader, targetReader } = composeFleet(storage);
    const page = { type: undefined, visible: everything, after: undefined, limit: 1_000 };
    const workspaces = await workspaceReader.list({ ...page, within: undefined }, signal);
    const all = await targetReader.list({ ...page, within: undefined }, signal);
    for (const { name, ancestors } of workspaces) {
      const inside = async (subtree: boolean) =>
        (await targetReader.list({ ...page, within: { workspace: name, subtree } }, signal)).map((each) => each.name);
      const below = new Set(
        workspaces.filter((each) => each.name === name || each.ancestors.includes(name)).map((each) => each.name),
      );
      assert.deepEqual(
        await inside(false),
        all.filter((each) => each.workspace.name === name).map((each) => each.name),
      );
      assert.deepEqual(
        await inside(true),
        all.filter((each) => below.has(each.workspace.name)).map((each) => each.name),
      );
      assert.equal(ancestors.length === 0, name === 'root');
    }
    for (const { name, workspace: its } of all) {
      const holder = workspaces.find((each) => each.name === its.name);
      assert.equal(
        its.path,
        holder && `/${[...holder.ancestors, holder.name].join('/')}/`,
        `${name} is in no workspace`,
      );
    }
  }

  /** The events agree: a target joins a workspace, moves from one to the next in a single step, and leaves the last. */
  async function checkHistory(): Promise<void> {
    const order = sql.raw(engine === 'sqlite' ? 'position' : 'sequence');
    const rows = await storage.all<Readonly<Record<'type' | 'key' | 'scope', string>>>(
      sql`SELECT type, key, scope FROM outbox WHERE key LIKE 'targets/%' ORDER BY ${order}`,
      signal,
    );
    const where = new Map<string, string>();
    const left = new Set<string>();
    for (const { type, key, scope } of rows) {
      if (left.delete(key)) assert.equal(type, 'target.assigned', `${key} was in none`);
      else if (type === 'target.assigned') assert.fail(`${key} was in two`);
      if (type === 'target.created') assert.ok(!where.has(key), `${key} came twice`);
      if (type === 'target.removed' || type === 'target.deleted') assert.equal(where.get(key), scope);
      if (type === 'target.removed') left.add(key);
      if (type === 'target.created' || type === 'target.assigned') where.set(key, scope);
      if (type === 'target.deleted') where.delete(key);
    }
    const all = await storage.all<Readonly<Record<'name' | 'workspace', string>>>(
      sql`SELECT name, workspace FROM targets`,
      signal,
    );
    assert.deepEqual(where, new Map(all.map((row) => [`targets/${row.name}`, row.workspace])));
  }
});
