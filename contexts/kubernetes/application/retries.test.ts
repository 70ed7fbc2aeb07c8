import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unlessAborted } from '#kit/std';
import { FakeClock } from '#testing/fake-clock';
import { PATIENCE_MS } from '#testing/patience';
import { deploymentUid, map, order, runAgent } from '../testing/agent-scene.ts';
import { type FakePorts, fakePorts } from '../testing/fake-ports.ts';

/** The first attempt at each object called `stuck-…` fails; later ones hang until `release`. */
function stuckPorts() {
  const ports = fakePorts();
  const tried = new Set<string>();
  const gate = Promise.withResolvers<void>();
  let hanging = 0;
  const apply: FakePorts['api']['apply'] = async (object, options, stop) => {
    const { name = '' } = object.metadata;
    if (!name.startsWith('stuck')) return await ports.api.apply(object, options, stop);
    if (!tried.has(name)) {
      tried.add(name);
      throw new Error('not now');
    }
    hanging += 1;
    await unlessAborted(gate.promise, stop);
    return await ports.api.apply(object, options, stop);
  };
  const api = { get: ports.api.get.bind(ports.api), delete: ports.api.delete.bind(ports.api), apply };
  return { ports: { ...ports, api }, release: gate.resolve, hanging: () => hanging };
}

describe('retries', () => {
  it('that hang delay no other deployment, and all of them end', async (t) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const clock = new FakeClock();
    const { ports, release, hanging } = stuckPorts();
    const { agent, heard } = await runAgent(t, ports, { clock, sleep: clock.sleep });
    const numbers = Array.from({ length: 40 }, (_, index) => index + 2);
    for (const number of numbers) {
      await agent.dispatch(order(number, [map(`stuck-${number}`)], { deployment: deploymentUid(number) }), signal);
    }
    await clock.advance(1_000);
    assert.equal(hanging(), 4, 'at a time');
    await agent.dispatch(order(1, [map('a')]), signal);
    await heard.until('health 1 Available', signal);
    release();
    for (const number of numbers) await heard.until(`health ${number} Available`, signal);
  });
});
