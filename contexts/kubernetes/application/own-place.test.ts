import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import { type KubeObject, keyOf } from '../domain/kube-object.ts';
import { map, order, policy, removal, runAgent, TARGET } from '../testing/agent-scene.ts';
import { fakePorts } from '../testing/fake-ports.ts';
import type { ClusterPorts } from './ports.ts';

const UPGRADE = { deployment: 'fleetshift-agent', container: 'agent', repository: 'fleetshift' };
const AGENT: KubeObject & Readonly<Record<string, unknown>> = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'fleetshift-agent', namespace: 'fleetshift-system' },
  spec: { template: { spec: { containers: [{ name: 'agent', image: 'fleetshift:2' }] } } },
};

describe('the namespace of an agent', () => {
  let signal: AbortSignal;
  beforeEach(() => {
    signal = AbortSignal.timeout(PATIENCE_MS);
  });

  const scene = () => {
    const ports = fakePorts();
    const served: ClusterPorts = { ...ports, own: { namespace: 'fleetshift-system', upgrade: UPGRADE } };
    return { ports, served };
  };
  const intoIt = { ...map('a'), metadata: { name: 'a', namespace: 'fleetshift-system' } };

  it('gets nothing that is delivered, and neither does the rest of that delivery', async (t) => {
    const { ports, served } = scene();
    const { agent, heard } = await runAgent(t, served);
    const preview = await agent.preview(order(1, [map('b'), intoIt]), signal);
    assert.equal(preview?.kind, 'wouldReject');
    await agent.dispatch(order(1, [map('b'), intoIt]), signal);
    await heard.until(/^rejected 1 .*namespace of the agent/, signal);
    for (const object of [intoIt, map('b')]) assert.equal(ports.api.peek(keyOf(object)), undefined);
  });

  it('gets nothing by the namespace of the order', async (t) => {
    const { served } = scene();
    const { agent, heard } = await runAgent(t, served);
    const nowhere = { ...map('a'), metadata: { name: 'a' } };
    await agent.dispatch(order(1, [nowhere], { namespace: 'fleetshift-system' }), signal);
    await heard.until(/^rejected 1 .*namespace of the agent/, signal);
  });

  it('keeps the agent when the deployment that upgraded it is removed', async (t) => {
    const { ports, served } = scene();
    const { agent, heard } = await runAgent(t, served);
    await agent.dispatch(order(1, [policy({ onConflict: 'force' }), AGENT, map('b')]), signal);
    await heard.until('applied 1', signal);
    await agent.dispatch(removal(2), signal);
    await heard.until('removed 2', signal);
    assert.ok(ports.api.peek(keyOf(AGENT)));
    assert.equal(ports.api.peek(keyOf(map('b'))), undefined);
    assert.deepEqual((await agent.inventory(TARGET, signal)).holdings, []);
  });
});
