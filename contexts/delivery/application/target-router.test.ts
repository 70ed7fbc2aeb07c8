import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Acknowledgement, DeliveryOrder } from '#protocol/delivery';
import { FakeClock } from '#testing/fake-clock';
import { DeliveryError } from '../domain/delivery-error.ts';
import { anOrder, aRemoval, aTarget, uidOf } from '../testing/an-order.ts';
import { AgentRegistry } from './agent-registry.ts';
import type { DeliveryAgent } from './ports.ts';
import { createTargetRouter } from './target-router.ts';

const signal = new AbortController().signal;
const ACCEPTED: Acknowledgement = { kind: 'accepted' };

/** Answers when the test says so; can also ignore its signal. */
class GatedAgent implements DeliveryAgent {
  readonly asked: { order: DeliveryOrder; answer: (acknowledgement: Acknowledgement) => void; signal: AbortSignal }[] =
    [];

  dispatch(order: DeliveryOrder, its: AbortSignal): Promise<Acknowledgement> {
    return new Promise((answer) => this.asked.push({ order, answer, signal: its }));
  }

  async cancel(): Promise<void> {}

  async preview() {
    return undefined;
  }

  answerAll(): void {
    for (const { answer } of this.asked) answer(ACCEPTED);
  }

  get revisions(): number[] {
    return this.asked.map(({ order }) => order.revision);
  }
}

function routed(options: { timeoutMs?: number } = {}) {
  const [agent, agents, clock] = [new GatedAgent(), new AgentRegistry(), new FakeClock()];
  agents.register(agent, { type: 'simulated' });
  return { agent, agents, clock, router: createTargetRouter({ agents, sleep: clock.sleep, ...options }) };
}

function isCode(code: string) {
  return (error: unknown) => error instanceof DeliveryError && error.code === code;
}

test('a target that nobody speaks for is offline', async () => {
  const { router } = routed();
  const order = anOrder({ target: aTarget(1, { type: 'kubernetes' }) });
  assert.deepEqual(await router.dispatch(order, signal), { kind: 'offline' });
  assert.equal(await router.preview(order, signal), undefined);
  await router.cancel(order, signal);
});

test('one order of a deployment is under way for a target, and the next when that is over', async () => {
  const { agent, router } = routed();
  const first = router.dispatch(anOrder(), signal);
  await turn();
  const second = router.dispatch(anOrder({ revision: 2 }), signal);
  await turn();
  assert.deepEqual(agent.revisions, [1]);
  agent.answerAll();
  assert.deepEqual(await first, ACCEPTED);
  await turn();
  assert.deepEqual(agent.revisions, [1, 2]);
  agent.answerAll();
  assert.deepEqual(await second, ACCEPTED);
});

test('what waited until a later one stood behind it is not sent any more', async () => {
  const { agent, router } = routed();
  const first = router.dispatch(anOrder({ revision: 1 }), signal);
  await turn();
  const second = router.dispatch(anOrder({ revision: 2 }), signal);
  const third = router.dispatch(aRemoval({ revision: 3 }), signal);
  await turn();
  agent.answerAll();
  assert.deepEqual([await first, await second], [ACCEPTED, { kind: 'fenced', seen: 3 }]);
  await turn();
  agent.answerAll();
  assert.deepEqual(await third, ACCEPTED);
  assert.deepEqual(agent.revisions, [1, 3]);
});

test('what an agent has seen is for the agent to say: the router keeps nothing of what is over', async () => {
  const { agent, router } = routed();
  for (const revision of [5, 3]) {
    const answer = router.dispatch(anOrder({ revision }), signal);
    await turn();
    agent.answerAll();
    assert.deepEqual(await answer, ACCEPTED);
  }
  assert.deepEqual(agent.revisions, [5, 3]);
});

test('a target that does not answer holds up no other, nor another deployment on itself', async () => {
  const { agent, router } = routed();
  const stop = new AbortController();
  const stuck = router.dispatch(anOrder(), stop.signal);
  for (const other of [{ target: aTarget(2) }, { deployment: uidOf(0xe) }]) {
    const answer = router.dispatch(anOrder(other), signal);
    await turn();
    agent.asked.at(-1)?.answer(ACCEPTED);
    assert.deepEqual(await answer, ACCEPTED);
  }
  stop.abort();
  await assert.rejects(stuck, { name: 'AbortError' });
});

test('an agent that does not answer in time is given up, and the next order has its turn', async () => {
  const { agent, router, clock } = routed({ timeoutMs: 5_000 });
  const [late, next] = [router.dispatch(anOrder(), signal), router.dispatch(anOrder(), signal)];
  const refused = assert.rejects(late, isCode('AGENT_TIMED_OUT'));
  await clock.untilSleeping();
  await clock.advance(5_000);
  await refused;
  assert.ok(agent.asked[0]?.signal.aborted, 'it is told that nobody waits for it');
  await turn();
  agent.asked[1]?.answer(ACCEPTED);
  assert.deepEqual(await next, ACCEPTED);
  assert.equal(clock.sleeping, 0, 'no timer is left behind');
});

test('whoever stops waiting for his turn is forgotten, and those behind him are served', async () => {
  const { agent, router } = routed();
  const stop = new AbortController();
  const [first, second] = [router.dispatch(anOrder(), signal), router.dispatch(anOrder(), stop.signal)];
  const third = router.dispatch(anOrder(), signal);
  stop.abort();
  await assert.rejects(second, { name: 'AbortError' });
  await turn();
  agent.answerAll();
  await first;
  await turn();
  agent.answerAll();
  assert.deepEqual(await third, ACCEPTED);
  assert.equal(agent.asked.length, 2);
});

test('orders of one deployment do not pile up for a target without end', async () => {
  const { agent, router } = routed();
  const sixteen = Array.from({ length: 16 }, () => router.dispatch(anOrder(), signal));
  await assert.rejects(router.dispatch(anOrder(), signal), isCode('TOO_MANY_ORDERS'));
  assert.equal(await Promise.race([turn().then(() => 'there'), ...sixteen]), 'there');
  for (let served = 0; served < 16; served += 1) {
    agent.answerAll();
    await turn();
  }
  assert.deepEqual(new Set(await Promise.all(sixteen)), new Set([ACCEPTED]));
  assert.equal(await Promise.race([turn().then(() => 'taken'), router.dispatch(anOrder(), signal)]), 'taken');
});

test("an agent's failure is the caller's to hear, and ends the turn", async () => {
  const agents = new AgentRegistry();
  const broken = {
    dispatch: () => Promise.reject(new Error('cut')),
    cancel: async () => {},
    preview: async () => undefined,
  };
  const withdraw = agents.register(broken, { targets: [aTarget().id] });
  const router = createTargetRouter({ agents });
  await assert.rejects(router.dispatch(anOrder(), signal), { message: 'cut' });
  withdraw();
  assert.deepEqual(await router.dispatch(anOrder(), signal), { kind: 'offline' });
});
