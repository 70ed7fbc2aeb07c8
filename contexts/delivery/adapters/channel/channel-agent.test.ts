import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Acknowledgement } from '#protocol/delivery';
import { PATIENCE_MS } from '#testing/patience';
import { DeliveryError } from '../../domain/delivery-error.ts';
import { anOrder, aTarget } from '../../testing/an-order.ts';
import { channelPair } from '../../testing/channel-pair.ts';
import { RecordingReports } from '../../testing/recording-reports.ts';
import { encodeAnswer } from './answer-codec.ts';
import type { ServedAgent } from './delivery-server.ts';
import { encodeStatus } from './status-codec.ts';

const TARGET = aTarget();

function pair(its: Partial<ServedAgent> = {}) {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const reports = new RecordingReports();
  const made = channelPair({ reports, signal });
  made.server.serve({
    dispatch: async () => ({ kind: 'accepted' }),
    cancel: async () => {},
    preview: async () => undefined,
    inventory: async ({ id }) => ({ target: id, instance: 'i1', holdings: [] }),
    ...its,
  });
  return { ...made, reports, signal };
}

async function connected(its: Partial<ServedAgent> = {}) {
  const made = pair(its);
  const over = new AbortController();
  const running = made.intake.run(over.signal);
  await made.server.connected(TARGET, made.signal);
  return {
    ...made,
    stop: async () => {
      over.abort();
      await running;
    },
  };
}

describe('an agent at the other end of channels', () => {
  it('is offline when nobody speaks for the target', async () => {
    const { agent, offline, signal } = pair();
    offline.add(TARGET.id);
    assert.deepEqual(await agent.dispatch(anOrder(), signal), { kind: 'offline' });
    assert.equal(await agent.preview(anOrder(), signal), undefined);
    await agent.cancel(anOrder(), signal);
  });

  it('says that the connection was lost to those who wait for an answer, and to no others', async () => {
    const never = Promise.withResolvers<Acknowledgement>();
    const { agent, signal, stop } = await connected({ dispatch: async () => await never.promise });
    const asking = agent.dispatch(anOrder(), signal);
    await turn();
    agent.lost(aTarget(2).id);
    agent.lost(TARGET.id);
    await assert.rejects(asking, { code: 'CONNECTION_LOST' });
    never.resolve({ kind: 'accepted' });
    await stop();
  });

  it('lets the one who was asked answer, and nobody else', async () => {
    const never = Promise.withResolvers<Acknowledgement>();
    const { agent, signal, stop } = await connected({ dispatch: async () => await never.promise });
    const asking = agent.dispatch(anOrder(), signal);
    await turn();
    const accepted = encodeAnswer(1n, { kind: 'acknowledgement', acknowledgement: { kind: 'fenced', seen: 9 } });
    agent.take(aTarget(2).id, accepted);
    never.resolve({ kind: 'accepted' });
    assert.deepEqual(await asking, { kind: 'accepted' });
    await stop();
  });

  it('tells what an agent could not do as a try that may be repeated', async () => {
    const { agent, signal, stop } = await connected({
      dispatch: async () => {
        throw new Error('no space left');
      },
    });
    await assert.rejects(agent.dispatch(anOrder(), signal), { code: 'AGENT_FAULT', message: /no space left/ });
    await stop();
  });

  it('refuses what is no message', () => {
    const { agent, intake } = pair();
    const bad = Uint8Array.of(0xff, 0xff, 0xff);
    assert.throws(() => agent.take(TARGET.id, bad), { code: 'BAD_MESSAGE' });
    const aside: unknown[] = [];
    intake.receive(TARGET.id, bad, (outcome) => aside.push(outcome.kind === 'refused' && outcome.error));
    assert.deepEqual(
      aside.map((error) => error instanceof DeliveryError && error.code),
      ['BAD_MESSAGE'],
    );
  });
});

describe('what an agent says', () => {
  it('begins with what it has, whatever else it has to say', async () => {
    const gate = Promise.withResolvers<void>();
    const { server, reports, signal, intake } = pair({
      inventory: async ({ id }) => {
        await gate.promise;
        return { target: id, instance: 'i1', holdings: [] };
      },
    });
    const over = new AbortController();
    const running = intake.run(over.signal);
    const connecting = server.connected(TARGET, signal);
    const report = { target: TARGET.id, deployment: anOrder().deployment, revision: 1, kind: 'removed' } as const;
    const saying = server.reports.report([report], signal);
    await turn();
    assert.deepEqual(reports.all(), []);
    gate.resolve();
    await Promise.all([connecting, saying]);
    assert.deepEqual(
      reports.all().map(({ kind }) => kind),
      ['inventory', 'removed'],
    );
    over.abort();
    await running;
  });

  it('is taken again by whoever could not take it, and acknowledged only then', async () => {
    const { intake, reports, trouble, stop } = await connected();
    reports.clear();
    const fails = Promise.withResolvers<void>();
    reports.gate = fails.promise;
    let taken = 0;
    const { deployment } = anOrder();
    const report = { target: TARGET.id, deployment, revision: 1, kind: 'applied', hash: 'h' } as const;
    intake.receive(TARGET.id, encodeStatus({ about: 'report', report }), () => {
      taken += 1;
    });
    const { calls } = reports;
    while (reports.calls === calls) await turn();
    assert.equal(taken, 0);
    reports.gate = Promise.resolve();
    fails.reject(new DeliveryError('CONNECTION_LOST', 'stands for a database that is away'));
    await reports.until(({ kind }) => kind === 'applied', AbortSignal.timeout(PATIENCE_MS));
    await turn();
    assert.deepEqual([taken, trouble.length], [1, 1]);
    await stop();
  });
});
