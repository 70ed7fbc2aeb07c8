import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import type { ControlReply } from '../../domain/control-message.ts';
import { until } from '../../testing/an-uplink.ts';
import { BrokerStage, claimOf, type LocalProcess } from '../../testing/broker-stage.ts';

const CLAIM = claimOf('edge-1', { serving: 'proxy' });
const UID = 'uid-edge-1';
const SERVED = { kind: 'targetRefused', name: 'edge-1', reason: 'served', message: 'another one is nearer' } as const;

function aStage(t: TestContext, deps: ConstructorParameters<typeof BrokerStage>[0] = {}): BrokerStage {
  const stage = new BrokerStage(deps);
  t.after(() => stage.close());
  return stage;
}

async function asks(process: LocalProcess, request: number): Promise<ControlReply['kind'] | undefined> {
  process.ask({ request, kind: 'registerTarget', claim: CLAIM });
  await until(() => process.news.some((news) => news.request === request));
  return process.news.find((news) => news.request === request)?.kind;
}

function toldOfItself(process: LocalProcess): string[] {
  return process.news.filter(({ request, kind }) => request === 0 && kind !== 'welcome').map(({ kind }) => kind);
}

suite('a process that was refused what another serves', () => {
  test('is let in when the platform says that it is its turn', async (t) => {
    const stage = aStage(t);
    stage.answer = ({ request }) => ({ request, ...SERVED });
    const proxy = stage.local('proxy');
    const delivery = proxy.open('delivery');
    assert.equal(await asks(proxy, 1), 'targetRefused');
    stage.tell({ request: 0, kind: 'targetAccepted', target: UID, name: 'edge-1' });
    await until(() => toldOfItself(proxy).includes('targetAccepted'));
    await stage.down('delivery', 'apply', { target: UID });
    await until(() => delivery.heard.length === 1);
    assert.deepEqual(
      stage.asked.map(({ kind }) => kind),
      ['registerTarget'],
    );
  });

  test('is let in by its fleetlet when the other one beside it leaves', async (t) => {
    const stage = aStage(t);
    const [agent, proxy] = [stage.local('agent'), stage.local('proxy')];
    assert.equal(await asks(agent, 1), 'targetAccepted');
    assert.equal(await asks(proxy, 1), 'targetRefused');
    agent.ask({ request: 2, kind: 'deregisterTarget', target: UID });
    await until(() => toldOfItself(proxy).includes('targetAccepted'));
    assert.deepEqual(
      stage.asked.map(({ kind }) => kind),
      ['registerTarget', 'deregisterTarget', 'registerTarget'],
    );
  });

  test('is not told once more that it is refused when its fleetlet has asked in vain', async (t) => {
    const stage = aStage(t);
    const [agent, proxy] = [stage.local('agent'), stage.local('proxy')];
    await asks(agent, 1);
    await asks(proxy, 1);
    const before = stage.answer;
    stage.answer = (asked) => (asked.kind === 'registerTarget' ? { request: asked.request, ...SERVED } : before(asked));
    agent.ask({ request: 2, kind: 'deregisterTarget', target: UID });
    await until(() => stage.asked.length === 3 && stage.broker.stats().targets === 0);
    // The proxy still stands by.
    stage.tell({ request: 0, kind: 'targetAccepted', target: UID, name: 'edge-1' });
    await until(() => toldOfItself(proxy).length > 0);
    assert.deepEqual(toldOfItself(proxy), ['targetAccepted']);
  });

  test('is forgotten when it leaves, and then the platform is told so', async (t) => {
    const clock = new FakeClock();
    const stage = aStage(t, { clock, sleep: clock.sleep });
    stage.answer = ({ request }) => ({ request, ...SERVED });
    const proxy = stage.local('proxy');
    assert.equal(await asks(proxy, 1), 'targetRefused');
    await proxy.stop();
    await clock.advance(12_000);
    await until(() => stage.events.includes('gone unix:test.sock/proxy'));
    stage.tell({ request: 0, kind: 'targetAccepted', target: UID, name: 'edge-1' });
    await until(() => stage.asked.some(({ kind }) => kind === 'deregisterTarget'));
  });

  test('is let in with all its replicas', async (t) => {
    const stage = aStage(t);
    stage.answer = ({ request }) => ({ request, ...SERVED });
    const replicas = [stage.local('proxy'), stage.local('proxy')];
    for (const [nth, replica] of replicas.entries()) await asks(replica, nth + 1);
    stage.tell({ request: 0, kind: 'targetAccepted', target: UID, name: 'edge-1' });
    await until(() => replicas.every((replica) => toldOfItself(replica).includes('targetAccepted')));
  });
});
