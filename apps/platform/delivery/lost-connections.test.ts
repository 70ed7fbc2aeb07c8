import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { TargetService } from '#contexts/targets';
import { TARGET_MIGRATIONS, targetPool, targetUnitOfWork } from '#contexts/targets/adapters';
import { WORKSPACE_MIGRATIONS, workspacePlaces } from '#contexts/workspaces/adapters';
import { runAll } from '#kit/reconcile';
import { parseResourceName, uuidv7 } from '#kit/std';
import type { Storage } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { memoryLogger } from '../../../contexts/governance/testing/governance-api.ts';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import { FakeLeadership } from '../testing/fake-leadership.ts';
import { lostConnections } from './lost-connections.ts';

const signal = new AbortController().signal;
const GRACE_MS = 10_000;

eachDatabase('connections of an earlier process', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  let clock: FakeClock;
  let held: Set<string>;
  let leadership: FakeLeadership;
  let stop: () => Promise<void>;
  beforeEach(async () => {
    database = await fresh();
    storage = await database.open([OUTBOX_MIGRATIONS, WORKSPACE_MIGRATIONS, TARGET_MIGRATIONS]);
    [clock, held, leadership] = [new FakeClock(), new Set(), new FakeLeadership(false, storage)];
    const isHeld = (uid: string): boolean => held.has(uid);
    const log = memoryLogger([]);
    const over = new AbortController();
    const run = runAll([lostConnections({ leadership, isHeld, clock, sleep: clock.sleep, log })], over.signal);
    stop = async () => {
      over.abort(new Error('enough'));
      await run;
    };
  });
  afterEach(async () => {
    await stop();
    await database.dispose();
  });

  const service = new TargetService({ newUid: uuidv7, addonTypes: { has: async () => false } });
  /** Targets registered and connected before the restart. Returns their uids. */
  async function connected(...names: readonly string[]): Promise<readonly string[]> {
    return await storage.write(async (tx) => {
      const unit = targetUnitOfWork(tx, { newId: uuidv7, workspaces: workspacePlaces });
      const now = clock.now();
      const uids: string[] = [];
      for (const name of names) {
        const draft = { name, type: 'kubernetes', workspace: 'root' };
        uids.push((await service.register(unit, { draft, now }, signal)).uid);
      }
      const reports = names.map((name) => ({
        target: parseResourceName(name),
        state: 'Connected' as const,
        time: now,
      }));
      await service.reportConnections(unit, { reports, now }, signal);
      return uids;
    }, signal);
  }
  const online = async (): Promise<string> => {
    const pool = await storage.read((reader) => targetPool(reader).below('/', signal), signal);
    return pool
      .filter(({ isOnline }) => isOnline)
      .map(({ name }) => name)
      .join(' ');
  };
  const pass = async (ms: number): Promise<void> => {
    await clock.untilSleeping();
    await clock.advance(ms);
  };

  it('are over after a while, but for those that somebody took up again', async () => {
    const [, two = ''] = await connected('one', 'two', 'three');
    leadership.set(true);
    await pass(GRACE_MS - 1);
    assert.equal(await online(), 'one three two');
    held.add(two);
    await pass(1);
    await eventually('those that nobody holds are away', async () => (await online()) === 'two');
  });

  it('are none of the business of a process that stands by, until it takes over', async () => {
    await connected('one');
    leadership.set(true);
    await clock.untilSleeping();
    leadership.set(false);
    await eventually('it to wait for its turn', () => clock.sleeping === 0);
    await clock.advance(GRACE_MS);
    assert.equal(await online(), 'one');
    leadership.set(true);
    await pass(GRACE_MS);
    await eventually('it is away', async () => (await online()) === '');
    await connected('two');
    leadership.set(false);
    leadership.set(true);
    await pass(GRACE_MS);
    await eventually('so is what was connected elsewhere meanwhile', async () => (await online()) === '');
  });
});
