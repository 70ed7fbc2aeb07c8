import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { earlierPackage } from '#testing/earlier-package';
import { runCommand } from '../../apps/cli/testing/processes.ts';
import type { TakenOrder } from '../rollouts/agent-log.ts';
import { edgeIn, HALF_WAY_STATES, type HalfWayState } from './half-way-states.ts';
import { UpgradedPlatform } from './upgraded-platform.ts';

const earlier = await earlierPackage(console.error);
const NO_PACKAGE = 'the commit of the earlier package is not in this clone';

/** What must not change any more: the revisions that had ended, with their stories. */
type History = ReadonlyMap<string, unknown>;

for (const engine of DATABASES) describeUpgrade(engine);

function describeUpgrade(engine: Engine): void {
  describe(`this version, on the ${engine} of a killed earlier one`, { skip: earlier ? false : NO_PACKAGE }, () => {
    let fleet: UpgradedPlatform;
    let history: History;
    const uids = new Map<string, HalfWayState>();
    const orders: TakenOrder[] = [];
    let created: unknown;

    before(async () => {
      fleet = await UpgradedPlatform.create(engine, edgeIn);
      await fleet.startEarlier(earlier ?? assert.fail(NO_PACKAGE));
      created = await createOnce(fleet);
      await Promise.all(HALF_WAY_STATES.map(async (state) => await state.begin?.(fleet)));
      await fleet.killAgent();
      await Promise.all(HALF_WAY_STATES.map(async (state) => await state.interrupt?.(fleet)));
      for (const state of HALF_WAY_STATES) uids.set((await fleet.client.get(state.name)).uid, state);
      history = await readHistory(fleet);
      for (const { atTheEnd } of HALF_WAY_STATES) await atTheEnd?.(fleet);
      orders.push(...(await fleet.kill()));
      await fleet.startThis();
    });
    after(() => fleet.dispose());

    for (const { name, promise, finish } of HALF_WAY_STATES) it(`${promise} (${name})`, () => finish(fleet));

    it('ends idle', async () => await fleet.client.untilIdle());

    it('answers a repeated request as the earlier version did', async () => {
      assert.deepEqual(await createOnce(fleet), created);
    });

    it('keeps revisions that had ended, and their stories', async () => {
      const now = await readHistory(fleet);
      for (const [what, was] of history) if (!what.startsWith('deleted ')) assert.deepEqual(now.get(what), was, what);
    });

    it('keeps the audit log whole', async () => {
      await fleet.kill().then((taken) => orders.push(...taken));
      const { code, out, err } = await runCommand(['audit', 'verify', ...fleet.place]);
      assert.equal(code, 0, `${out}${err}`);
    });

    it('sends no target again what it has', () => {
      const had = new Map<string, string | undefined>();
      for (const { target, deployment, hash } of orders) {
        const key = `${deployment} ${target}`;
        const state = uids.get(deployment);
        if (had.has(key) && state?.mayRepeat !== true) {
          assert.notEqual(hash, had.get(key), `${state?.name ?? deployment} on ${target}`);
        }
        had.set(key, hash);
      }
      assert.ok(orders.length > 2 * HALF_WAY_STATES.length, 'the orders of both versions are seen');
    });
  });
}

const KEY = '6e0c34a4-5a67-4a0e-9e0b-0c1d4e1b7f11';

async function createOnce(fleet: UpgradedPlatform): Promise<unknown> {
  return await fleet.createWorkspace('once', KEY);
}

/** As the earlier version shows it: `contentHash` is not stored, and only this version computes it. */
async function readHistory({ client }: UpgradedPlatform): Promise<History> {
  const history = new Map<string, unknown>();
  const { items } = await client.asked('GET', '/v1/workspaces/shop/deployments?pageSize=100');
  for (const { name } of items as { name: string }[]) {
    const revisions = await client.list(name, 'revisions');
    for (const each of revisions.filter(({ outcome }) => outcome !== undefined)) {
      const { contentHash: _, ...known } = each;
      const revision = Number(each['revision']);
      history.set(`${name} ${revision}`, known);
      history.set(`${name} ${revision} timeline`, await client.list(name, `revisions/${revision}/timeline`));
    }
  }
  return history;
}
