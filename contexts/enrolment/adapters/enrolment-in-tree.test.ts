import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { FILE_MS } from '#testing/patience';
import { EnrolmentStage } from '../testing/enrolment-stage.ts';
import { enrolmentInTree } from './enrolment-in-tree.ts';
import { purgeTokens } from './purge-tokens.ts';

const signal = AbortSignal.timeout(FILE_MS);

eachDatabase('enrolment in the tree', (fresh) => {
  let database: TestDatabase;
  let stage: EnrolmentStage;
  before(async () => {
    database = await fresh();
    stage = await EnrolmentStage.open(database);
  });
  after(async () => {
    await stage.close();
    await database.dispose();
  });

  it('has fleetlets in the way of deleting their workspace, and not the built-in one', async () => {
    const { name } = await stage.enrolled();
    const inside = async (path: string) =>
      await stage.api.storage.write((tx) => enrolmentInTree(tx).contentsOf({ path }, 5, signal), signal);
    assert.deepEqual(await inside('/root/web/'), { kind: 'fleetlet', count: 1, names: [name] });
    assert.deepEqual(await inside('/root/'), { kind: 'fleetlet', count: 0, names: [] });
  });

  it('drops the tokens of a workspace that is deleted, and the bindings of a target', async () => {
    await stage.mint({ name: 'orphan' }, 'emea');
    const { fleetlet, target, targets } = await stage.enrolled();
    await stage.api.storage.write(async (tx) => {
      await enrolmentInTree(tx).workspaceDeleted({ name: 'emea' }, signal);
      await enrolmentInTree(tx).targetDeleted({ uid: targets[0]?.uid ?? '' }, signal);
    }, signal);
    await stage.api.call('GET /v1/workspaces/emea/bootstrap-tokens/orphan', { want: 404 });
    assert.equal((await stage.api.enrolment.boundTarget(fleetlet, target, signal)).kind, 'refused');
  });

  it('follows a workspace that moves', async () => {
    const move = { fromPath: '/root/web/', toPath: '/root/emea/web/' };
    await stage.api.storage.write((tx) => enrolmentInTree(tx).moved(move, signal), signal);
    const rows = await stage.api.storage.all<{ path: string }>(
      sql`SELECT DISTINCT workspace_path AS path FROM enrolment_fleetlets WHERE workspace = 'web'`,
      signal,
    );
    assert.deepEqual(
      rows.map(({ path }) => path),
      ['/root/emea/web/'],
    );
  });

  it('forgets tokens a month after their end', async () => {
    await stage.mint({ name: 'old' }, 'edge');
    const end = stage.api.clock.now() + 3_600_000;
    assert.equal(await purgeTokens(stage.api.storage, end + 29 * 86_400_000, signal), 0);
    assert.ok((await purgeTokens(stage.api.storage, end + 30 * 86_400_000, signal)) > 0);
    await stage.api.call('GET /v1/workspaces/edge/bootstrap-tokens/old', { want: 404 });
  });
});
