import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aTarget } from '../testing/an-order.ts';
import { AgentRegistry } from './agent-registry.ts';
import type { DeliveryAgent } from './ports.ts';

function anAgent(): DeliveryAgent {
  return { dispatch: async () => ({ kind: 'accepted' }), cancel: async () => {}, preview: async () => undefined };
}

const [ours, theirs] = [aTarget(1), aTarget(2)];

test('who speaks for a target by itself comes before who speaks for its type', () => {
  const agents = new AgentRegistry();
  const [own, ofType] = [anAgent(), anAgent()];
  agents.register(own, { targets: [ours.id] });
  agents.register(ofType, { type: 'simulated' });
  assert.equal(agents.agentFor(ours), own);
  assert.equal(agents.agentFor(theirs), ofType);
  assert.equal(agents.agentFor({ ...theirs, type: 'kubernetes' }), undefined);
});

test('a type of target that an addon brings is spoken for like those built in, until the addon is gone', () => {
  const agents = new AgentRegistry();
  const [thanos, backend] = [anAgent(), { ...ours, type: 'thanos' }];
  assert.equal(agents.agentFor(backend), undefined);
  const withdraw = agents.register(thanos, { type: 'thanos' });
  assert.equal(agents.agentFor(backend), thanos);
  withdraw();
  assert.equal(agents.agentFor(backend), undefined);
});

test('the one that came last counts, and when it goes the one before it', () => {
  const agents = new AgentRegistry();
  const [old, recent] = [anAgent(), anAgent()];
  const withdrawOld = agents.register(old, { targets: [ours.id] });
  const withdrawRecent = agents.register(recent, { targets: [ours.id] });
  assert.equal(agents.agentFor(ours), recent);
  withdrawRecent();
  assert.equal(agents.agentFor(ours), old);
  withdrawOld();
  assert.equal(agents.agentFor(ours), undefined);
});

test('a session that ends late does not take away the one that followed it', () => {
  const agents = new AgentRegistry();
  const [old, recent] = [anAgent(), anAgent()];
  const withdrawOld = agents.register(old, { targets: [ours.id] });
  agents.register(recent, { targets: [ours.id] });
  withdrawOld();
  withdrawOld();
  assert.equal(agents.agentFor(ours), recent);
});

test('an agent that registered twice is there until both are withdrawn', () => {
  const agents = new AgentRegistry();
  const agent = anAgent();
  const withdraw = agents.register(agent, { type: 'simulated' });
  agents.register(agent, { type: 'simulated' });
  withdraw();
  withdraw();
  assert.equal(agents.agentFor(ours), agent);
});
