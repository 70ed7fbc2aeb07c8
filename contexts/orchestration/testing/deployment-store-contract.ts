import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseResourceName, type Uuid } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import { PATIENCE_MS } from '#testing/patience';
import type { DeploymentStore, TriggerStore } from '../application/ports.ts';
import type { Deployment } from '../domain/deployment/deployment.ts';
import { aDeployment } from './a-revision.ts';
import { uidOf } from './deployment-api.ts';

/** Empty stores for one test. */
export interface OpenedStores {
  /** One unit of work. It is committed when the body resolves. */
  unit<T>(body: (deployments: DeploymentStore, triggers: TriggerStore) => Promise<T>): Promise<T>;
  /**
   * The pipelines that should run: the uid of the deployment, the number of the run, and whether there is unseen news.
   */
  runs(): Promise<readonly { readonly uid: Uuid; readonly run: number; readonly hasNews: boolean }[]>;
  close(): Promise<void>;
}

/** The contract of `DeploymentStore` and `TriggerStore`, for every implementation. */
export function deploymentStoreContract(name: string, open: () => Promise<OpenedStores>): void {
  describe(`deployment store: ${name}`, () => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    let opened: OpenedStores;
    let number = 0;
    before(async () => {
      opened = await open();
    });
    after(async () => await opened.close());

    const fresh = (its: Partial<Deployment> = {}): Deployment => {
      number += 1;
      return aDeployment({ uid: uidOf(number), name: parseResourceName(`deployment-${number}`), ...its });
    };
    const stored = async (...all: Deployment[]): Promise<void> => {
      for (const each of all) await opened.unit((store) => store.insert(each, signal));
    };
    const get = (uid: Uuid) => opened.unit((store) => store.get(uid, signal));
    const full = (): Deployment =>
      fresh({
        labels: { 'a.example/b': '1', constructor: '' },
        spec: {
          ...aDeployment().spec,
          namespace: 'shop',
          config: { 'a "quoted" \\ key': [1, null, { deep: '東京' }] },
          healthRules: [{ kind: 'Pod', healthy: 'true' }],
          driftPolicy: 'repair',
        },
        rolloutState: 'paused',
        owner: { group: uidOf(9_999), child: 'db' },
        deletion: { time: 1_900_000_000_000, by: 'user:alice' },
        generation: 3,
        observedGeneration: 2,
        revision: 7,
        rollout: 7,
        version: 9,
        updateTime: 1_900_000_000_001,
      });

    it('gives back all of what it was given, by uid, by name, and among others', async () => {
      for (const deployment of [fresh(), full()]) {
        await stored(deployment);
        const { uid, workspace, name: its } = deployment;
        assert.deepEqual(await get(uid), deployment);
        assert.deepEqual(await opened.unit((store) => store.find(workspace.name, its, signal)), deployment);
        assert.deepEqual(await opened.unit((store) => store.getAll([uidOf(8_888), uid], signal)), [deployment]);
      }
    });

    it('has nothing of what is not there', async () => {
      assert.equal(await get(uidOf(8_888)), undefined);
      assert.deepEqual(await opened.unit((store) => store.getAll([], signal)), []);
    });

    it('replaces all but what never changes, and only the version before', async () => {
      const deployment = fresh();
      await stored(deployment);
      const { uid, name: itsName, workspace, owner, createTime } = deployment;
      const next = { ...full(), uid, name: itsName, workspace, owner, createTime, version: 2 };
      await opened.unit((store) => store.replace(next, signal));
      assert.deepEqual(await get(uid), next);
      await assert.rejects(
        opened.unit((store) => store.replace(next, signal)),
        { code: 'VERSION_STALE' },
      );
      await assert.rejects(
        opened.unit((store) => store.replace({ ...next, uid: uidOf(8_888), version: 3 }, signal)),
        { code: 'VERSION_STALE' },
      );
    });

    it('finds the children of a group, and those of workspaces', async () => {
      const owner = { group: uidOf(7_777), child: 'a' };
      const workspace = { name: parseResourceName('apac'), path: '/root/apac/' };
      const [child, apart] = [fresh({ owner }), fresh({ workspace })];
      await stored(child, apart);
      assert.deepEqual(await opened.unit((store) => store.childrenOf(owner.group, signal)), [child]);
      assert.deepEqual(await opened.unit((store) => store.inWorkspaces(['/root/apac/', '/root/x/'], signal)), [apart]);
    });

    it('keeps triggers in the order in which they came, until they are dropped', async () => {
      const { uid } = await added(fresh());
      const target = { kind: 'target', target: 'edge' as TargetId, causes: ['relabel'] } as const;
      await opened.unit((_, triggers) => triggers.add(uid, [{ kind: 'scores' }, target], 5, signal));
      await opened.unit((_, triggers) => triggers.add(uid, [{ kind: 'delete', by: 'user:alice' }], 6, signal));
      const kept = await opened.unit((_, triggers) => triggers.of(uid, signal));
      assert.deepEqual(
        kept.map(({ time, trigger }) => [time, trigger]),
        [
          [5, { kind: 'scores' }],
          [5, target],
          [6, { kind: 'delete', by: 'user:alice' }],
        ],
      );
      const [first] = kept;
      await opened.unit((_, triggers) => triggers.drop([first?.id ?? ''], signal));
      assert.deepEqual(await opened.unit((_, triggers) => triggers.of(uid, signal)), kept.slice(1));
    });

    it('has a pipeline run while there is something for it, each run with a number of its own', async () => {
      const { uid } = await added(fresh());
      assert.equal(await runOf(uid), undefined);
      await opened.unit((_, triggers) => triggers.add(uid, [{ kind: 'scores' }], 5, signal));
      assert.equal(await runOf(uid), undefined, 'a trigger by itself starts nothing');
      await opened.unit((store) => store.wake(uid, signal));
      assert.deepEqual(await runOf(uid), { run: 1, hasNews: true });
      await opened.unit((store) => store.wake(uid, signal));
      assert.deepEqual(await runOf(uid), { run: 1, hasNews: true });
      await opened.unit((store) => store.hear(uid, signal));
      assert.deepEqual(await runOf(uid), { run: 1, hasNews: false });
      assert.equal(await opened.unit((store) => store.rest(uid, 1, signal)), true);
      assert.equal(await runOf(uid), undefined);
      await opened.unit((store) => store.wake(uid, signal));
      assert.deepEqual(await runOf(uid), { run: 2, hasNews: true });
    });

    it('knows the run that is under way from those that are over', async () => {
      const { uid } = await added(fresh());
      const isUnderWay = (run: number) => opened.unit((store) => store.isUnderWay(uid, run, signal));
      assert.equal(await isUnderWay(1), false);
      await opened.unit((store) => store.wake(uid, signal));
      assert.equal(await isUnderWay(1), true);
      await opened.unit((store) => store.hear(uid, signal));
      await opened.unit((store) => store.rest(uid, 1, signal));
      assert.equal(await isUnderWay(1), false);
      await opened.unit((store) => store.wake(uid, signal));
      assert.deepEqual([await isUnderWay(1), await isUnderWay(2)], [false, true]);
    });

    it('lets no run end that has not heard everything, nor one that is not its own', async () => {
      const { uid } = await added(fresh());
      await opened.unit((store) => store.wake(uid, signal));
      assert.equal(await opened.unit((store) => store.rest(uid, 1, signal)), false);
      await opened.unit((store) => store.hear(uid, signal));
      assert.equal(await opened.unit((store) => store.rest(uid, 2, signal)), false);
      await opened.unit((store) => store.wake(uid, signal));
      assert.equal(await opened.unit((store) => store.rest(uid, 1, signal)), false);
      assert.deepEqual(await runOf(uid), { run: 1, hasNews: true });
    });

    it('finds those under way that cannot be planned', async () => {
      const status = aDeployment().status;
      const trouble = { reason: 'ManifestFailed', message: 'no such type', since: 5 };
      const stuck = await added(fresh({ status: { ...status, trouble } }));
      const resting = await added(fresh({ status: { ...status, trouble } }));
      const well = await added(fresh({ labels: { trouble: '"trouble":' } }));
      for (const { uid } of [stuck, well]) await opened.unit((store) => store.wake(uid, signal));
      const blocked = await opened.unit((store) => store.blocked(signal));
      assert.deepEqual(
        [stuck, resting, well].map(({ uid }) => blocked.includes(uid)),
        [true, false, false],
      );
    });

    it('leaves the pipeline alone when the deployment is replaced, and the version when it is woken', async () => {
      const deployment = await added(fresh());
      await opened.unit((store) => store.wake(deployment.uid, signal));
      await opened.unit((store) => store.replace({ ...deployment, version: 2 }, signal));
      assert.deepEqual(await runOf(deployment.uid), { run: 1, hasNews: true });
      assert.equal((await get(deployment.uid))?.version, 2);
    });

    it('removes a deployment with its triggers and its run', async () => {
      const { uid } = await added(fresh());
      await opened.unit((_, triggers) => triggers.add(uid, [{ kind: 'scores' }], 5, signal));
      await opened.unit((store) => store.remove(uid, signal));
      assert.equal(await get(uid), undefined);
      assert.equal(await runOf(uid), undefined);
      assert.deepEqual(await opened.unit((_, triggers) => triggers.of(uid, signal)), []);
    });

    async function added(deployment: Deployment): Promise<Deployment> {
      await stored(deployment);
      return deployment;
    }

    async function runOf(uid: Uuid) {
      const found = (await opened.runs()).find((each) => each.uid === uid);
      return found && { run: found.run, hasNews: found.hasNews };
    }
  });
}
