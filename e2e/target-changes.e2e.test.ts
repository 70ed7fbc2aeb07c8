import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createPlacementRegistry, TargetChanges, type UnitOfWork } from '#contexts/orchestration';
import { builtInRules, orchestrationUnitOfWork, sqlUnits } from '#contexts/orchestration/adapters';
import { TargetService, type UnitOfWork as TargetUnit } from '#contexts/targets';
import { targetsInWorkspaces, targetUnitOfWork } from '#contexts/targets/adapters';
import { workspacePlaces } from '#contexts/workspaces/adapters';
import { parseResourceName, systemClock, type Uuid, uuidv7 } from '#kit/std';
import { type Storage, sql, type Transaction } from '#kit/storage';
import { createSequencer } from '#kit/storage/outbox';
import type { TargetObservation } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { deploymentsInTree } from '../apps/platform/orchestration/deployments-in-tree.ts';
import { followTargets } from '../apps/platform/orchestration/follow-targets.ts';
import { TARGET_NEWS } from '../apps/platform/orchestration/target-news.ts';
import { directoryIn, poolIn } from '../apps/platform/orchestration/transaction-ports.ts';
import { insertDeployment } from '../contexts/orchestration/adapters/sql/sql-deployment-store.ts';
import type { ManifestSpec } from '../contexts/orchestration/domain/manifest/manifest-strategy.ts';
import type { PlacementSpec } from '../contexts/orchestration/domain/placement/placement-strategy.ts';
import { aDeployment } from '../contexts/orchestration/testing/a-revision.ts';
import { unitOfWork } from '../contexts/workspaces/adapters/sql-unit-of-work.ts';
import { WorkspaceService } from '../contexts/workspaces/application/workspace-service.ts';
import { eventually } from '../kit/durable/testing/eventually.ts';
import { memoryLogger } from '../kit/telemetry/testing/index.ts';

const signal = new AbortController().signal;
const anyState = { check: () => {} };
const PROD = { type: 'selector', matchLabels: { env: 'prod' } };
const placements = createPlacementRegistry();
const now = 5_000;

eachDatabase('what happens to targets', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  let stop: AbortController;
  let running: Promise<unknown>;
  const connections: TargetObservation[] = [];

  before(async () => {
    database = await fresh();
    storage = await database.open(SCHEMA_MODULES);
    for (const name of ['emea', 'apac']) await makeWorkspace(name, 'root');
    for (const name of ['web', 'shop']) await makeWorkspace(name, 'emea');
    stop = new AbortController();
    const follower = followTargets({
      storage,
      units: sqlUnits(storage, deps),
      changes: new TargetChanges({ placements, manifests: builtInRules().manifests }),
      observer: { observe: async (told) => void connections.push(...told) },
      clock: systemClock,
      log: memoryLogger().log,
    });
    running = Promise.all([follower.run(stop.signal), createSequencer({ storage }).run(stop.signal)]);
  });
  after(async () => {
    stop.abort();
    await running;
    await database.dispose();
  });

  const deps = {
    newId: uuidv7,
    // Nothing here is secret.
    sealer: { seal: async () => '', open: async () => assert.fail('nothing is sealed') },
    pool: poolIn,
    workspaces: directoryIn,
  };
  const unit = <T>(body: (unit: UnitOfWork) => Promise<T>): Promise<T> =>
    storage.write((tx) => body(orchestrationUnitOfWork(tx, deps)), signal);

  const workspaces = new WorkspaceService({ newUid: uuidv7 });
  const tree = deploymentsInTree({ unit: (tx) => orchestrationUnitOfWork(tx, deps), placements, clock: systemClock });
  const workspaceUnit = (tx: Transaction) =>
    unitOfWork(tx, {
      newId: uuidv7,
      contents: [tree.contents],
      moveObservers: [targetsInWorkspaces, tree.moves],
      deleteObservers: [],
    });
  const makeWorkspace = (name: string, parent: string) =>
    storage.write((tx) => workspaces.create(workspaceUnit(tx), { draft: { name, parent }, now }, signal), signal);

  const targets = new TargetService({ newUid: uuidv7, addonTypes: { has: async () => false } });
  const onTargets = <T>(body: (unit: TargetUnit) => Promise<T>): Promise<T> =>
    storage.write((tx) => body(targetUnitOfWork(tx, { newId: uuidv7, workspaces: workspacePlaces })), signal);
  const addTarget = async (name: string, workspace: string, labels = {}): Promise<TargetId> => {
    const draft = { name, type: 'kubernetes', workspace, labels };
    return (await onTargets((each) => targets.register(each, { draft, now }, signal))).uid as string as TargetId;
  };
  const change = (name: string) => ({ name: parseResourceName(name), precondition: anyState, now });

  const addDeployment = async (
    name: string,
    path: string,
    placement: readonly PlacementSpec[] = [PROD],
    manifest: ManifestSpec = aDeployment().spec.manifest,
  ) => {
    const workspace = { name: parseResourceName(path.split('/').at(-2) ?? ''), path };
    const usual = aDeployment();
    const spec = { ...usual.spec, placement, manifest };
    const deployment = { ...usual, uid: uuidv7(), name: parseResourceName(name), workspace, spec };
    await storage.commit([insertDeployment(deployment)], signal);
    return deployment.uid;
  };
  const place = async (deployment: Uuid, ...members: readonly TargetId[]): Promise<void> => {
    const nothing = { applied: undefined, order: undefined, failure: undefined, instance: undefined };
    const rows = members.map((target) => ({
      ...nothing,
      deployment,
      target,
      name: target,
      type: 'kubernetes',
      isPlaced: true,
      isOnline: true,
      health: 'Available' as const,
      healthRevision: 1,
      healthMessage: '',
      isOwed: false,
      drift: [],
      updateTime: now,
    }));
    await unit((each) => each.targets.put(rows, signal));
  };

  /** The triggers, once all earlier events have been processed. */
  const triggersOf = async (deployment: Uuid): Promise<unknown[]> => {
    await caughtUp();
    return await unit(async ({ triggers }) => {
      const found = await triggers.of(deployment, signal);
      await triggers.drop(
        found.map(({ id }) => id),
        signal,
      );
      return found.map(({ trigger }) => trigger);
    });
  };
  const caughtUp = async (): Promise<void> => {
    const types = sql.list([...TARGET_NEWS]);
    await eventually('the news of targets to be taken in', async () => {
      // On Postgres this table holds events that have no position yet, so it is read before the log.
      const isAllInLog =
        storage.engine === 'sqlite' || (await storage.all(sql`SELECT id FROM outbox`, signal)).length === 0;
      const [log] = await storage.all(
        sql`SELECT max(position) AS last FROM outbox_log WHERE type IN (${types})`,
        signal,
      );
      const [row] = await storage.all(sql`SELECT position FROM outbox_consumers`, signal);
      return isAllInLog && Number(row?.['position'] ?? -1) >= Number(log?.['last'] ?? 0);
    });
  };

  it('wakes the deployments above that it may concern, and no others', async () => {
    const [above, beside, picky] = [
      await addDeployment('above', '/root/emea/'),
      await addDeployment('beside', '/root/apac/'),
      await addDeployment('picky', '/root/', [{ type: 'selector', matchLabels: { env: 'test' } }]),
    ];
    const one = await addTarget('one', 'web', { env: 'prod' });
    assert.deepEqual(await triggersOf(above), [{ kind: 'target', target: one, causes: [] }]);
    assert.deepEqual([await triggersOf(beside), await triggersOf(picky)], [[], []]);
    const awake = await storage.all(sql`SELECT name FROM deployments WHERE run IS NOT NULL`, signal);
    assert.deepEqual(
      awake.map(({ name }) => name),
      ['above'],
    );
  });

  it('tells who has it why it goes', async () => {
    const deployment = await addDeployment('causes', '/root/emea/');
    const ids: TargetId[] = [];
    for (const name of ['plain', 'cordoned', 'relabelled', 'assigned', 'leaving']) {
      ids.push(await addTarget(name, 'web', { env: 'prod' }));
    }
    await place(deployment, ...ids);
    await triggersOf(deployment);
    await onTargets((each) => targets.delete(each, { ...change('plain'), force: true }, signal));
    await onTargets((each) => targets.setLifecycle(each, { ...change('cordoned'), lifecycle: 'Cordoned' }, signal));
    await onTargets((each) => targets.delete(each, { ...change('cordoned'), force: true }, signal));
    const patch = { labels: { env: null } };
    await onTargets((each) => targets.patch(each, { ...change('relabelled'), patch }, signal));
    const workspace = parseResourceName('apac');
    await onTargets((each) => targets.assign(each, { ...change('assigned'), workspace }, signal));
    await onTargets((each) =>
      targets.setLifecycle(each, { ...change('leaving'), lifecycle: 'Deprovisioning' }, signal),
    );
    const causes = new Map<string, Set<string>>();
    for (const trigger of await triggersOf(deployment)) {
      const { kind, target, causes: its } = trigger as { kind: string; target: string; causes: string[] };
      if (kind !== 'target') continue;
      causes.set(target, new Set([...(causes.get(target) ?? []), ...its]));
    }
    assert.deepEqual(
      ids.map((id) => [...(causes.get(id) ?? [])]),
      [['deleted'], ['cordonAndDelete'], ['relabel'], ['move'], ['deprovisioned']],
    );
  });

  it('is one trigger for each target of a burst, in few transactions', async () => {
    const deployment = await addDeployment('burst', '/root/apac/');
    const names = Array.from({ length: 200 }, (_, index) => `burst-${index}`);
    await onTargets(async (each) => {
      for (const name of names) {
        const draft = { name, type: 'kubernetes', workspace: 'apac', labels: { env: 'prod' } };
        await targets.register(each, { draft, now }, signal);
      }
    });
    const found = await triggersOf(deployment);
    assert.equal(new Set(found.map((trigger) => (trigger as { target: string }).target)).size, names.length);
    const row = await storage.get(sql`SELECT news FROM deployments WHERE uid = ${deployment}`, signal);
    assert.ok(Number(row?.['news']) < names.length / 4, `it was woken ${String(row?.['news'])} times`);
  });

  it('is generated anew where a manifest reads what changed, and nowhere else', async () => {
    const documents = [{ kind: 'Note', text: '${target.properties.registry.host}' }];
    const reader = await addDeployment('reader', '/root/emea/', [PROD], { type: 'template', documents });
    const inline = await addDeployment('inline', '/root/emea/');
    const id = await addTarget('read', 'web', { env: 'prod' });
    for (const each of [reader, inline]) {
      await place(each, id);
      await triggersOf(each);
    }
    const say = (registry: object) =>
      onTargets((each) =>
        targets.patch(each, { ...change('read'), patch: { properties: { registry } as never } }, signal),
      );
    await say({ port: 1 });
    assert.deepEqual(await triggersOf(reader), [
      { kind: 'regenerate', targets: [id], why: 'targets changed in /properties/registry' },
    ]);
    await say({ port: 2 });
    assert.deepEqual(await triggersOf(reader), [], 'it does not read the port');
    await say({ host: 'a' });
    assert.deepEqual(await triggersOf(reader), [
      { kind: 'regenerate', targets: [id], why: 'targets changed in /properties/registry/host' },
    ]);
    assert.deepEqual(await triggersOf(inline), []);
  });

  it('is told of connections, which are read when that is stored', async () => {
    const id = await addTarget('flapping', 'web');
    connections.length = 0;
    for (const [time, state] of [
      [6_000, 'Connected'],
      [7_000, 'Disconnected'],
      [8_000, 'Connected'],
    ] as const) {
      const reports = [{ target: parseResourceName('flapping'), state, time }];
      await onTargets((each) => targets.reportConnections(each, { reports, now: time }, signal));
    }
    await caughtUp();
    assert.deepEqual(connections.at(-1), { about: 'connection', target: id });
  });

  it('of a workspace that moves is told with it: who loses, who may gain', async () => {
    const [old, own, fresh] = [
      await addDeployment('old', '/root/emea/'),
      await addDeployment('own', '/root/emea/shop/'),
      await addDeployment('fresh', '/root/apac/'),
    ];
    const top = await addDeployment('top', '/root/');
    const has = await addTarget('in-shop', 'shop', { env: 'prod' });
    await addTarget('also-in-shop', 'shop', { env: 'test' });
    for (const each of [old, own, top]) await place(each, has);
    for (const each of [old, own, fresh, top]) await triggersOf(each);
    const move = { name: parseResourceName('shop'), parent: parseResourceName('apac'), precondition: anyState, now };
    const { changes } = await storage.write((tx) => workspaces.move(workspaceUnit(tx), move, signal), signal);
    assert.deepEqual(
      changes.filter(({ kind }) => kind === 'deployment').map(({ message }) => message),
      ['emea/old loses 1 target.', ...['beside', 'burst', 'fresh'].map((name) => `apac/${name} may gain 1 target.`)],
    );
    assert.deepEqual(await triggersOf(old), [{ kind: 'target', target: has, causes: ['move'] }]);
    assert.deepEqual(await triggersOf(fresh), [{ kind: 'target', target: has, causes: [] }]);
    assert.deepEqual([await triggersOf(own), await triggersOf(top)], [[], []], 'their pool is what it was');
    const moved = await unit(({ deployments }) => deployments.get(own, signal));
    assert.equal(moved?.workspace.path, '/root/apac/shop/');
  });

  it('is in the way of deleting a workspace, when it is a deployment', async () => {
    await makeWorkspace('full', 'root');
    await addDeployment('last', '/root/full/');
    const gone = storage.write((tx) => workspaces.delete(workspaceUnit(tx), change('full'), signal), signal);
    await assert.rejects(gone, ({ code, message }: { code: string; message: string }) => {
      assert.equal(code, 'WORKSPACE_NOT_EMPTY');
      assert.match(message, /1 deployment \(last\)/);
      return true;
    });
  });
});
