import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test';
import { CORE, isKubeError } from '#kit/kube';
import { clustersUnavailable } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { openCluster } from '../adapters/open-cluster.ts';
import { deploymentUid, order, policy, removal, runAgent } from '../testing/agent-scene.ts';
import { type RealScene, realScene } from '../testing/real-scene.ts';
import type { LeftObjects } from './kubernetes-agent.ts';

/** Foreground deletion is completed by a controller. */
const size = 'controllers';
const ADOPT = policy({ onConflict: 'adopt' });

describe('two agents with records of their own in one cluster', {
  skip: (await clustersUnavailable(size)) ?? false,
}, () => {
  let signal: AbortSignal;
  let scene: RealScene;
  let elsewhere: string;

  before(async () => {
    scene = await realScene(size, AbortSignal.timeout(PATIENCE_MS));
    elsewhere = `${scene.namespace}-other`;
  });

  beforeEach(() => {
    signal = AbortSignal.timeout(PATIENCE_MS);
  });

  after(async () => {
    const stop = AbortSignal.timeout(PATIENCE_MS);
    await scene.client.delete({ resource: CORE.namespaces, name: elsewhere }, {}, stop).catch(() => {});
    await scene.close();
  });

  function map(name: string) {
    const metadata = { name, namespace: scene.namespace };
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: '1' } };
  }

  async function agentIn(t: TestContext, namespace: string) {
    const left: LeftObjects[] = [];
    const ports = await openCluster({ client: scene.client, namespace }, signal);
    const running = await runAgent(t, ports, { onLeft: (each) => left.push(each) });
    return { ...running, left };
  }

  async function has(name: string): Promise<boolean> {
    return await scene.client.get({ resource: CORE.configMaps, namespace: scene.namespace, name }, signal).then(
      () => true,
      (error: unknown) => {
        if (isKubeError(error, 'NOT_FOUND')) return false;
        throw error;
      },
    );
  }

  const CASES = [
    { what: 'the same deployment', uids: [deploymentUid(1), deploymentUid(1)] },
    { what: 'different deployments', uids: [deploymentUid(2), deploymentUid(3)] },
  ] as const;
  const ORDERS = [
    { which: 'the first', isFirst: true },
    { which: 'the second', isFirst: false },
  ] as const;
  for (const { what, uids } of CASES) {
    for (const { which, isFirst } of ORDERS) {
      it(`${what}: what ${which} agent removes stays as long as the other holds it`, async (t) => {
        const name = `${what === CASES[0].what ? 'same' : 'different'}-${isFirst ? 'first' : 'second'}`;
        const [one, two] = [await agentIn(t, scene.namespace), await agentIn(t, elsewhere)];
        const both = [
          { ...one, deployment: uids[0] },
          { ...two, deployment: uids[1] },
        ] as const;
        const revision = isFirst ? 1 : 11;
        for (const { agent, heard, deployment } of both) {
          await agent.dispatch(order(revision, [ADOPT, map(name)], { deployment }), signal);
          await heard.until(`health ${revision} Available`, signal);
        }
        const [leaves, stays] = isFirst ? both : [both[1], both[0]];
        await leaves.agent.dispatch(removal(revision + 1, { deployment: leaves.deployment }), signal);
        await leaves.heard.until(`removed ${revision + 1}`, signal);
        assert.equal(await has(name), true);
        const said = leaves.left.flatMap(({ objects }) => objects);
        assert.deepEqual(said, [`v1/ConfigMap/${scene.namespace}/${name}: held by ${stays.deployment}`]);
        await stays.agent.dispatch(removal(revision + 2, { deployment: stays.deployment }), signal);
        await stays.heard.until(`removed ${revision + 2}`, signal);
        assert.equal(await has(name), false);
        assert.deepEqual(stays.left, []);
      });
    }
  }

  it('a namespace stays as long as another deployment has objects in it', async (t) => {
    const name = `${scene.namespace}-shared`;
    const [one, two] = [await agentIn(t, scene.namespace), await agentIn(t, elsewhere)];
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    const inside = { ...map('inside'), metadata: { name: 'inside', namespace: name } };
    await one.agent.dispatch(order(1, [space], { deployment: deploymentUid(4) }), signal);
    await one.heard.until('health 1 Available', signal);
    await two.agent.dispatch(order(1, [inside], { deployment: deploymentUid(5) }), signal);
    await two.heard.until('health 1 Available', signal);
    await one.agent.dispatch(removal(2, { deployment: deploymentUid(4) }), signal);
    await one.heard.until('removed 2', signal);
    const { metadata } = await scene.client.get({ resource: CORE.namespaces, name }, signal);
    assert.equal(metadata.deletionTimestamp, undefined);
    assert.deepEqual(
      one.left.flatMap(({ objects }) => objects),
      [`v1/Namespace/${name}: held by ${deploymentUid(5)}`],
    );
    await scene.client.delete({ resource: CORE.namespaces, name }, {}, signal);
  });
});
