import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { until } from '../../testing/an-uplink.ts';
import { BrokerStage, claimOf, type LocalProcess } from '../../testing/broker-stage.ts';

/** Registers a target, and waits until the process knows its uid. */
async function register(process: LocalProcess, name: string, request = 1): Promise<string> {
  process.ask({ request, kind: 'registerTarget', claim: claimOf(name) });
  const isAnswer = (news: LocalProcess['news'][number]): boolean => news.request === request && news.kind !== 'welcome';
  await until(() => process.news.some(isAnswer));
  const answer = process.news.find(isAnswer);
  assert.equal(answer?.kind, 'targetAccepted', JSON.stringify(answer));
  return answer.target;
}

const textsOf = (heard: readonly { readonly text: string }[]): string[] => heard.map(({ text }) => text);

suite('targets', () => {
  test('a process registers a target, gets what is for it, and says what is about it', async (t) => {
    const stage = new BrokerStage();
    t.after(() => stage.close());
    const agent = stage.local('agent');
    const delivery = agent.open('delivery');
    const uid = await register(agent, 'edge-1');
    await stage.down('delivery', 'apply', { target: uid });
    await until(() => delivery.heard.length === 1);
    await delivery.say('applied', { target: uid });
    await until(() => stage.up.length === 1);
    assert.deepEqual(stage.up, [
      { channel: 'delivery', text: 'applied', target: uid, process: 'unix:test.sock/agent' },
    ]);
  });

  test('what is for a target waits until its process is there', async (t) => {
    const stage = new BrokerStage();
    t.after(() => stage.close());
    const agent = stage.local('agent');
    const uid = await register(agent, 'edge-1');
    const other = stage.local('other');
    other.open('delivery');
    await until(() => stage.platform.opens.some(({ channel }) => channel === 'delivery'));
    await stage.down('delivery', 'early', { target: uid });
    const delivery = agent.open('delivery');
    await until(() => delivery.heard.length === 1);
    assert.deepEqual(textsOf(delivery.heard), ['early']);
  });

  test('nobody else says anything about a target, nor registers it', async (t) => {
    const stage = new BrokerStage();
    t.after(() => stage.close());
    const uid = await register(stage.local('agent'), 'edge-1');
    const thief = stage.local('thief');
    const status = thief.open('status');
    await status.say('all is well', { target: uid });
    await status.say('and nobody is meant');
    const refused = (): number =>
      stage.broker.stats().channels.find(({ channel }) => channel === 'status')?.counts.refused ?? 0;
    await until(() => refused() === 2);
    thief.ask({ request: 7, kind: 'registerTarget', claim: claimOf('edge-1') });
    await until(() => thief.news.some(({ request }) => request === 7));
    const answer = thief.news.find(({ request }) => request === 7);
    assert.deepEqual([answer?.kind, answer?.kind === 'targetRefused' && answer.reason], ['targetRefused', 'served']);
    assert.deepEqual(stage.up, []);
  });

  test('after the platform was away all are registered again, and processes hear only that it is back', async (t) => {
    const stage = new BrokerStage();
    t.after(() => stage.close());
    const agent = stage.local('agent');
    agent.open('status');
    await register(agent, 'edge-1', 1);
    await register(agent, 'edge-2', 2);
    await until(() => stage.platform.opens.some(({ channel }) => channel === 'status'));
    const news = agent.news.length;
    stage.asked.length = 0;
    stage.platform.forget();
    stage.cutUplink();
    await until(() => stage.asked.length >= 2 && agent.resumed.length >= 2);
    const again = stage.asked.map((asked) => (asked.kind === 'registerTarget' ? asked.claim.name : asked.kind));
    assert.deepEqual(again.toSorted(), ['edge-1', 'edge-2']);
    assert.deepEqual(agent.resumed.toSorted(), ['control', 'status']);
    assert.equal(agent.news.length, news, 'what it knows already it is not told again');
  });

  test('one that is superseded is told to its process, and not registered again', async (t) => {
    const stage = new BrokerStage();
    t.after(() => stage.close());
    const agent = stage.local('agent');
    const uid = await register(agent, 'edge-1');
    stage.tell({ request: 0, kind: 'targetSuperseded', target: uid, message: 'another one is nearer' });
    await until(() => agent.news.some(({ kind }) => kind === 'targetSuperseded'));
    stage.asked.length = 0;
    stage.cutUplink();
    await until(() => agent.resumed.includes('control'));
    assert.deepEqual(stage.asked, []);
  });

  test('a process that is gone for too long is deregistered, and one that comes back in time is not', async (t) => {
    const clock = new FakeClock();
    const stage = new BrokerStage({ clock, sleep: clock.sleep });
    t.after(() => stage.close());
    const agent = stage.local('agent');
    const uid = await register(agent, 'edge-1');
    agent.cut();
    await until(() => agent.resumed.includes('control'));
    await clock.advance(11_000);
    assert.equal(stage.broker.stats().targets, 1);
    await agent.stop();
    await clock.advance(9_000);
    assert.equal(stage.broker.stats().targets, 1);
    await clock.advance(3_000);
    await until(() => stage.asked.some((asked) => asked.kind === 'deregisterTarget' && asked.target === uid));
    assert.deepEqual(
      stage.events.filter((event) => event.startsWith('gone')),
      ['gone unix:test.sock/agent'],
    );
  });

  test('a refusal for now is asked again, and a refusal for good is told', async (t) => {
    const clock = new FakeClock();
    const stage = new BrokerStage({ clock, sleep: clock.sleep });
    t.after(() => stage.close());
    const refusals = ['unavailable', 'notBound'] as const;
    stage.answer = (request) => {
      if (request.kind !== 'registerTarget') return undefined;
      const reason = refusals[stage.asked.length - 1] ?? 'notBound';
      return { request: request.request, kind: 'targetRefused', name: request.claim.name, reason, message: 'no' };
    };
    const agent = stage.local('agent');
    agent.ask({ request: 4, kind: 'registerTarget', claim: claimOf('edge-1') });
    await until(() => stage.asked.length === 1);
    await clock.untilSleeping();
    await until(() => {
      clock.advance(1_000).catch(() => undefined);
      return agent.news.some(({ kind }) => kind === 'targetRefused');
    });
    const refused = agent.news.find((news) => news.kind === 'targetRefused');
    assert.deepEqual([refused?.request, refused?.reason, stage.asked.length], [4, 'notBound', 2]);
    assert.equal(stage.broker.stats().targets, 0);
  });
});

suite('replicas', () => {
  test('what is for nobody in particular goes to them in turns', async (t) => {
    const stage = new BrokerStage();
    t.after(() => stage.close());
    const [one, two] = [stage.local('addon').open('queries'), stage.local('addon').open('queries')];
    await until(() => stage.broker.stats().channels[0]?.processes === 2);
    for (const text of ['a', 'b', 'c', 'd']) await stage.down('queries', text);
    await until(() => one.heard.length + two.heard.length === 4);
    assert.deepEqual([one.heard.length, two.heard.length], [2, 2]);
  });

  test('what has the same key stays with the one that has some of it', async (t) => {
    const stage = new BrokerStage();
    t.after(() => stage.close());
    const [one, two] = [1, 2].map(() => stage.local('addon').open('queries', { keeps: true }));
    assert.ok(one && two);
    await until(() => stage.broker.stats().channels[0]?.processes === 2);
    for (const text of ['a', 'b', 'c', 'd']) await stage.down('queries', text, { key: 'k' });
    await until(() => one.heard.length + two.heard.length === 4);
    assert.equal(Math.max(one.heard.length, two.heard.length), 4);
  });

  test('what one that died had not acknowledged goes to another, in order and marked', async (t) => {
    const clock = new FakeClock();
    const stage = new BrokerStage({ clock, sleep: clock.sleep });
    t.after(() => stage.close());
    const first = stage.local('addon');
    const one = first.open('queries', { keeps: true });
    await until(() => stage.broker.stats().channels.length === 1);
    for (const text of ['a', 'b', 'c']) await stage.down('queries', text, { key: 'k' });
    await until(() => one.heard.length === 3);
    one.heard[0]?.message.ack();
    await until(() => stage.broker.stats().channels[0]?.held === 2);
    const two = stage.local('addon').open('queries');
    await first.stop();
    await until(() => stage.broker.stats().channels[0]?.processes === 2);
    await clock.advance(12_000);
    await until(() => two.heard.length === 2);
    assert.deepEqual(
      two.heard.map(({ text, redelivered }) => [text, redelivered]),
      [
        ['b', true],
        ['c', true],
      ],
    );
    await until(() => stage.platform.of('queries').buffered.messages === 0);
  });

  test('an agent that was started anew gets at once what the one before had not acknowledged', async (t) => {
    const clock = new FakeClock();
    const stage = new BrokerStage({ clock, sleep: clock.sleep });
    t.after(() => stage.close());
    const first = stage.local('agent');
    const before = first.open('delivery', { keeps: true });
    const uid = await register(first, 'edge-1');
    await stage.down('delivery', 'apply', { target: uid, key: 'web' });
    await until(() => before.heard.length === 1);
    await first.stop();
    const second = stage.local('agent');
    const after = second.open('delivery');
    assert.equal(await register(second, 'edge-1'), uid);
    await until(() => after.heard.length === 1);
    assert.deepEqual(
      after.heard.map(({ text, redelivered }) => [text, redelivered]),
      [['apply', true]],
    );
  });

  test('an agent that was restarted accounts for its target, although the platform has not noticed', async (t) => {
    const clock = new FakeClock();
    const stage = new BrokerStage({ clock, sleep: clock.sleep });
    t.after(() => stage.close());
    const first = stage.local('agent');
    const uid = await register(first, 'edge-1');
    first.cut();
    await until(() => first.resumed.includes('control'));
    await register(first, 'edge-1');
    await first.stop();
    const second = stage.local('agent');
    await register(second, 'edge-1');
    const syncsOf = ({ news }: typeof first) => news.filter(({ kind }) => kind === 'syncNow');
    await until(() => syncsOf(second).length > 0);
    assert.deepEqual(syncsOf(second), [{ request: 0, kind: 'syncNow', targets: [uid] }]);
    assert.deepEqual(syncsOf(first), [], 'one that only comes back has lost nothing');
    assert.equal(stage.asked.filter(({ kind }) => kind === 'registerTarget').length, 1);
  });

  test('what names a process goes to that one', async (t) => {
    const stage = new BrokerStage();
    t.after(() => stage.close());
    const [one, two] = [stage.local('one').open('queries'), stage.local('two').open('queries')];
    await until(() => stage.broker.stats().channels[0]?.processes === 2);
    for (const text of ['a', 'b', 'c']) await stage.down('queries', text, { process: 'unix:test.sock/two' });
    await until(() => two.heard.length === 3);
    assert.deepEqual(one.heard, []);
  });
});

suite('relay', () => {
  test('a message is acknowledged to its process once the platform has acknowledged it', async (t) => {
    const stage = new BrokerStage();
    t.after(() => stage.close());
    const acks: (() => void)[] = [];
    const onMessage = stage.platform.onMessage;
    stage.platform.onMessage = (message, open) => {
      if (open.channel === 'control') onMessage(message, open);
      else acks.push(() => message.ack());
    };
    const addon = stage.local('addon');
    const channel = addon.uplink.open(
      { name: 'scores', mode: 'reliable', connectionClass: 'control' },
      { message: () => {} },
    );
    await channel.send({ payload: Buffer.from('one') }, new AbortController().signal);
    await until(() => acks.length === 1);
    assert.equal(channel.buffered.messages, 1, 'nobody but the process has it for certain');
    acks[0]?.();
    await until(() => channel.buffered.messages === 0);
  });

  test('nothing is lost or doubled over cuts on both sides', async (t) => {
    const stage = new BrokerStage();
    t.after(() => stage.close());
    const addon = stage.local('addon');
    const scores = addon.open('scores');
    const sent: string[] = [];
    for (let count = 1; count <= 60; count += 1) {
      sent.push(`up-${count}`);
      await scores.say(`up-${count}`, { key: 'k' });
      if (count === 1) await until(() => stage.up.length === 1);
      await stage.down('scores', `down-${count}`, { key: 'k' });
      if (count % 10 === 0) stage.cutUplink();
      if (count % 15 === 0) addon.cut();
    }
    await until(() => stage.up.length >= 60 && scores.heard.length >= 60);
    assert.deepEqual(textsOf(stage.up), sent);
    assert.deepEqual(
      textsOf(scores.heard),
      sent.map((text) => text.replace('up', 'down')),
    );
    assert.ok(scores.heard.every(({ redelivered }) => !redelivered));
  });

  test('a platform that takes nothing stops processes from sending, and the fleetlet keeps no more than its bounds', async (t) => {
    const window = { messages: 4, bytes: 1_000 };
    const stage = new BrokerStage({ limits: { window, buffer: { messages: 6, bytes: 10_000 } } });
    t.after(() => stage.close());
    const onMessage = stage.platform.onMessage;
    stage.platform.onMessage = (message, open) => {
      if (open.channel === 'control') onMessage(message, open);
    };
    const addon = stage.local('addon');
    const options = {
      name: 'scores',
      mode: 'reliable',
      connectionClass: 'control',
      buffer: { messages: 5, bytes: 10_000 },
    } as const;
    const channel = addon.uplink.open(options, { message: () => {} });
    let sent = 0;
    while (sent < 100 && channel.trySend({ payload: Buffer.from('x') })) sent += 1;
    const [scores] = stage.broker.stats().channels;
    assert.ok(sent <= 5, `a process could send ${sent}`);
    assert.ok((scores?.buffered.messages ?? 0) + (scores?.waiting ?? 0) <= 6);
    await until(() => stage.broker.stats().channels[0]?.buffered.messages === 4);
  });

  test('a channel that the platform refuses is closed to its processes with the same reason', async (t) => {
    const stage = new BrokerStage();
    t.after(() => stage.close());
    stage.platform.refuse = ({ channel }) =>
      channel === 'secrets' ? { kind: 'refused', reason: 'unknownChannel', message: 'no such channel' } : undefined;
    const secrets = stage.local('addon').open('secrets');
    await until(() => secrets.closed.length === 1);
    assert.equal(secrets.closed[0]?.reason, 'unknownChannel');
    assert.ok(stage.events.includes('closed secrets'));
  });

  test('a channel over several streams keeps the order of each key, both ways', async (t) => {
    const stage = new BrokerStage();
    t.after(() => stage.close());
    const events = stage.local('addon').open('events', { shards: 3 });
    const keys = ['a', 'b', 'c', 'd', 'e'];
    for (let round = 1; round <= 10; round += 1) {
      for (const key of keys) await events.say(`${key}${round}`, { key });
    }
    await until(() => stage.up.length === 50);
    assert.equal(stage.platform.opens.filter(({ channel }) => channel === 'events').length, 3);
    for (const key of keys) {
      const ofKey = textsOf(stage.up).filter((text) => text.startsWith(key));
      assert.deepEqual(
        ofKey,
        Array.from({ length: 10 }, (_, index) => `${key}${index + 1}`),
      );
    }
  });
});

suite('who may what', () => {
  test('who is not known is refused, with a sentence', async (t) => {
    const stage = new BrokerStage({ identity: () => undefined });
    t.after(() => stage.close());
    const stranger = stage.local('stranger');
    await until(() => stranger.states.some(({ kind }) => kind === 'refused'));
    assert.deepEqual(
      stranger.states.find(({ kind }) => kind === 'refused'),
      { kind: 'refused', reason: 'unauthenticated', message: 'the credentials are not known' },
    );
  });

  test('a channel with a rule is for those it names', async (t) => {
    const stage = new BrokerStage({ rules: [{ channel: 'scores', allowed: ['token:scorer'] }] });
    t.after(() => stage.close());
    const allowed = stage.local('addon', 'scorer').open('scores');
    const refused = stage.local('addon').open('scores');
    await until(() => refused.closed.length === 1);
    assert.equal(refused.closed[0]?.reason, 'forbidden');
    await allowed.say('9');
    await until(() => stage.up.length === 1);
  });

  test('a process speaks on access to whoever resolves it, and hears when nobody can', async (t) => {
    const stage = new BrokerStage();
    t.after(() => stage.close());
    const access = stage.local('proxy').open('access');
    const { encodeAccessRequest, decodeAccessAnswer } = await import('../../adapters/access-codec.ts');
    const question = { kind: 'identity', token: 't' } as const;
    await access.say(Buffer.from(encodeAccessRequest({ request: 3, question })).toString('latin1'));
    await until(() => access.heard.length === 1);
    const answer = decodeAccessAnswer(access.heard[0]?.message.payload ?? new Uint8Array());
    assert.deepEqual([answer?.request, answer?.facts.kind === 'fault' && answer.facts.code], [3, 'unavailable']);
  });
});
