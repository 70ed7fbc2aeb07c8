import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Precondition, Versioned } from '#kit/std';
import { parseResourceName } from '#kit/std';
import { type Storage, sql, type Transaction } from '#kit/storage';
import { createEventLog, OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import { freshDatabase, type TestDatabase } from '#testing/databases';
import { testSeed } from '#testing/seeded';
import { WorkspaceService } from '../application/workspace-service.ts';
import { parentOf, ROOT } from '../domain/workspace.ts';
import { WorkspaceError } from '../domain/workspace-error.ts';
import { uidCounter } from '../testing/a-workspace.ts';
import { type WorkspaceCommand, WorkspaceModel } from '../testing/workspace-model.ts';
import { ALL_WORKSPACES } from '../testing/workspace-store-contract.ts';
import { WORKSPACE_MIGRATIONS } from './migrations.ts';
import { unitOfWork } from './sql-unit-of-work.ts';
import { SqlWorkspaceReader } from './sql-workspace-reader.ts';

const signal = new AbortController().signal;
const newUid = uidCounter();
const service = new WorkspaceService({ newUid });
const notKept = new Error('this unit is not kept');

let database: TestDatabase;
let storage: Storage;
const PLAIN = { noNullPrototype: true };
const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'root');
const as = fc.constantFrom('folder', 'domain', 'project');
const seen = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
const [key, value] = [fc.constantFrom('x', 'y'), fc.constantFrom('1', '2')];
const patch = fc.record(
  {
    labels: fc.option(fc.dictionary(key, fc.option(value), PLAIN)),
    region: fc.option(fc.constantFrom('eu-1', 'us-1')),
  },
  { requiredKeys: [] },
);
const command: fc.Arbitrary<WorkspaceCommand> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('create'),
      name,
      as,
      parent: name,
      labels: fc.dictionary(key, value, PLAIN),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('patch'), name, patch, seen }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('move'), name, parent: name, seen }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete'), name, seen }) },
);
const step = fc.record({ command, kept: fc.boolean() });

/** Half of the runs start here, where each kind has its place and there is something to move. */
const BEGIN: readonly WorkspaceCommand[] = [
  { kind: 'create', name: 'a', as: 'domain', parent: 'root', labels: {} },
  { kind: 'patch', name: 'a', patch: { region: 'eu-1' }, seen: undefined },
  { kind: 'create', name: 'b', as: 'project', parent: 'a', labels: {} },
  { kind: 'create', name: 'c', as: 'domain', parent: 'root', labels: {} },
  { kind: 'create', name: 'd', as: 'folder', parent: 'b', labels: {} },
];

describe('units of work in a database', () => {
  before(async () => {
    database = await freshDatabase('sqlite');
    storage = await database.open([WORKSPACE_MIGRATIONS, OUTBOX_MIGRATIONS]);
  });

  after(async () => await database.dispose());

  test('any commands, kept or not, leave the tree and the events that a plain map would', async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 40, size: 'max' }), async (grown, story) => {
        let model = await beginAnew();
        const position = await createEventLog(storage).lastPosition(signal);
        const begin = grown ? BEGIN.map((command) => ({ command, kept: true })) : [];
        for (const { command, kept } of [...begin, ...story]) {
          const want = model.after(command);
          const outcome = await outcomeOf(command, kept);
          assert.equal(outcome, typeof want === 'string' ? want : 'done', JSON.stringify(command));
          if (kept && typeof want !== 'string') model = want;
        }
        assert.deepEqual(await listed(), model.list());
        for (const parent of model.tree.keys()) {
          assert.deepEqual(await listed(parent), model.list(parent));
          assert.deepEqual(await listed(parent, true), model.list(parent, true));
        }
        const events = await createEventLog(storage).readEvents({ after: position, limit: 100 }, signal);
        assert.deepEqual(
          events.map(({ type, scope }) => `${type} ${scope}`),
          model.events,
        );
      }),
      { numRuns: 100, seed: testSeed() },
    );
  });
});

async function beginAnew(): Promise<WorkspaceModel> {
  await storage.commit(
    [
      sql`DELETE FROM workspaces WHERE name <> ${ROOT}`,
      sql`UPDATE workspaces SET labels = ${'{}'}, generation = ${1}, version = ${1}`,
    ],
    signal,
  );
  return new WorkspaceModel(
    new Map([[ROOT, { kind: 'folder', parent: undefined, region: undefined, labels: {}, version: 1 }]]),
  );
}

async function outcomeOf(command: WorkspaceCommand, kept: boolean): Promise<string> {
  try {
    await storage.write(async (tx) => {
      await execute(tx, command);
      if (!kept) throw notKept;
    }, signal);
    return 'done';
  } catch (error) {
    if (error === notKept) return 'done';
    if (error instanceof WorkspaceError) return error.code;
    throw error;
  }
}

async function execute(tx: Transaction, command: WorkspaceCommand): Promise<void> {
  const unit = unitOfWork(tx, { newId: newUid, contents: [], moveObservers: [], deleteObservers: [] });
  const now = Date.now();
  if (command.kind === 'create') {
    const { name, as: kind, parent, labels } = command;
    await service.create(unit, { draft: { name, kind, parent, labels }, now }, signal);
    return;
  }
  const change = { name: parseResourceName(command.name), precondition: versionIs(command.seen), now };
  if (command.kind === 'patch') await service.patch(unit, { ...change, patch: command.patch }, signal);
  else if (command.kind === 'move') {
    await service.move(unit, { ...change, parent: parseResourceName(command.parent) }, signal);
  } else await service.delete(unit, change, signal);
}

function versionIs(seen: number | undefined): Precondition<Versioned> {
  return {
    check: ({ version }) => {
      if (seen !== undefined && seen !== version) throw new WorkspaceError('VERSION_STALE', `it is ${version} by now`);
    },
  };
}

async function listed(parent?: string, subtree = false): Promise<unknown[]> {
  const within = parent === undefined ? undefined : { parent: parseResourceName(parent), subtree };
  const range = { ...ALL_WORKSPACES, within };
  const workspaces = await new SqlWorkspaceReader(storage).list(range, signal);
  return workspaces.map((each) => ({
    name: each.name,
    kind: each.kind,
    parent: parentOf(each),
    region: each.region,
    labels: each.labels,
    version: each.version,
  }));
}
