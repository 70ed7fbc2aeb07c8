import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ChannelError } from '../../domain/channel-error.ts';
import type { ControlReply } from '../../domain/control-message.ts';
import { text, until } from '../../testing/an-uplink.ts';
import { HubWorld } from '../../testing/hub-world.ts';
import type { SessionHubDeps } from './hub-deps.ts';

const signal = new AbortController().signal;

function world(t: TestContext, deps: Partial<SessionHubDeps> = {}): HubWorld {
  const made = new HubWorld(deps);
  t.after(() => made.close());
  return made;
}

test('a target that is registered is reached through its fleetlet, and speaks', async (t) => {
  const it = world(t);
  const fleetlet = it.fleetlet('f1', ['web']);
  const accepted = await fleetlet.register('web');
  assert.equal(accepted.kind, 'targetAccepted');
  assert.equal(fleetlet.replies[0]?.kind, 'welcome', 'the first that the platform says');
  assert.deepEqual([it.presence, [...it.reachable]], [['web on'], ['web']]);
  await sendOnceOpen(it, 'web', 'an order');
  await until(() => fleetlet.delivered.includes('an order'));
  fleetlet.says('web', 'a report');
  await until(() => it.taken.length === 1);
  assert.equal(it.taken[0]?.text, 'a report');
  await until(() => fleetlet.has('syncNow'));
});

test('a target of another is refused, and what is said of it is not taken', async (t) => {
  const it = world(t);
  it.bound.set('f2', ['theirs']);
  const fleetlet = it.fleetlet('f1', ['web']);
  const refused = await fleetlet.register('theirs');
  assert.equal(refused.kind === 'targetRefused' && refused.reason, 'notBound');
  fleetlet.says('theirs', 'lies');
  await it.clock.untilSleeping(2);
  await until(() => fleetlet.status.buffered.messages === 1);
  assert.deepEqual(it.taken, []);
  // The message may have overtaken its registration; after the hold time it is refused.
  for (let passed = 0; passed < 70; passed += 1) await it.clock.advance(1_000);
  await until(() => it.kinds().includes('messageRefused'));
  await until(() => fleetlet.status.buffered.messages === 0);
  assert.deepEqual(it.taken, []);
});

test('a cut is told at once; after it the target is there again, with nothing lost and nothing twice', async (t) => {
  const it = world(t);
  const fleetlet = it.fleetlet('f1', ['web']);
  await fleetlet.register('web');
  fleetlet.says('web', 'one');
  await until(() => it.taken.length === 1);
  fleetlet.cut();
  await until(() => it.presence.includes('web off'));
  assert.ok(!it.reachable.has('web') || it.presence.at(-1) === 'web on');
  await until(() => it.presence.at(-1) === 'web on');
  fleetlet.says('web', 'two');
  await until(() => it.taken.length === 2);
  assert.deepEqual(
    it.taken.map((taken) => [taken.text, taken.message.redelivered]),
    [
      ['one', false],
      ['two', false],
    ],
  );
  assert.deepEqual(it.presence, ['web on', 'web off', 'web on']);
});

test('one that is there supersedes a proxy, which is told, not heard any more, and does not get it back', async (t) => {
  const it = world(t);
  const proxy = it.fleetlet('proxy', ['web']);
  await proxy.register('web', 'proxy');
  const there = it.fleetlet('there', ['web']);
  assert.equal((await there.register('web')).kind, 'targetAccepted');
  await until(() => proxy.has('targetSuperseded'));
  proxy.says('web', 'from the proxy');
  await until(() => it.kinds().includes('messageRefused'));
  there.says('web', 'from there');
  await until(() => it.taken.length === 1);
  assert.equal(it.taken[0]?.text, 'from there');
  proxy.cut();
  const again = await proxy.register('web', 'proxy');
  assert.equal(again.kind === 'targetRefused' && again.reason, 'served');
  await sendOnceOpen(it, 'web', 'an order');
  await until(() => there.delivered.includes('an order'));
  assert.deepEqual(proxy.delivered, []);
});

test('one whose cluster has become that of another target does not speak for it any more, and is told the id', async (t) => {
  const it = world(t);
  const fleetlet = it.fleetlet('there', ['web']);
  assert.equal((await fleetlet.register('web')).kind, 'targetAccepted');
  it.bindingOf = () => ({ kind: 'refused', reason: 'sameCluster', message: 'another has it', identity: 'id-1' });
  const refused = await fleetlet.register('web');
  assert.ok(refused.kind === 'targetRefused');
  assert.deepEqual([refused.reason, refused.identity], ['sameCluster', 'id-1']);
  await until(() => it.presence.at(-1) === 'web off');
  assert.deepEqual(
    it.hub.sessions().flatMap(({ targets }) => targets),
    [],
  );
});

test('one that is away keeps its target; once it is forgotten the one that stood back speaks', async (t) => {
  const it = world(t, { limits: { memoryMs: 10_000 } });
  const proxy = it.fleetlet('proxy', ['web']);
  await proxy.register('web', 'proxy');
  const there = it.fleetlet('there', ['web']);
  await there.register('web');
  await there.stop();
  await until(() => it.presence.at(-1) === 'web off');
  const meanwhile = await proxy.register('web', 'proxy');
  assert.equal(meanwhile.kind, 'targetRefused');
  for (let passed = 0; passed < 11; passed += 1) await it.clock.advance(1_000);
  await until(() => proxy.replies.some((reply) => reply.kind === 'targetAccepted' && reply.request === 0));
  await until(() => it.reachable.has('web'));
});

test('one that claims a target by an alias is told of its turn by that name', async (t) => {
  const it = world(t);
  it.bindingOf = ({ name, type }) =>
    name === 'alias' ? { kind: 'bound', target: { uid: 'uid-web', name: 'web', type } } : undefined;
  const there = it.fleetlet('there', ['web']);
  await there.register('web');
  const proxy = it.fleetlet('proxy', []);
  const refused = await proxy.register('alias', 'proxy');
  assert.equal(refused.kind === 'targetRefused' && refused.reason, 'served');
  it.hub.closeFleetlet('there', 'draining', 'over');
  await until(() => proxy.has('targetAccepted'));
  const accepted = proxy.replies.find((reply) => reply.kind === 'targetAccepted');
  assert.ok(accepted?.kind === 'targetAccepted');
  assert.deepEqual([accepted.target, accepted.name], ['uid-web', 'alias']);
});

test('the one that stood back hears of its turn when it comes back, if it was away then', async (t) => {
  const it = world(t);
  const proxy = it.fleetlet('proxy', ['web']);
  await proxy.register('web', 'proxy');
  const there = it.fleetlet('there', ['web']);
  await there.register('web');
  await until(() => proxy.has('targetSuperseded'));
  proxy.replies.length = 0;
  it.refused.set('proxy', { kind: 'refused', reason: 'unavailable', message: 'not now' });
  proxy.cut();
  await until(() => it.hub.sessions().some(({ fleetlet, isLive }) => fleetlet === 'proxy' && !isLive));
  await there.answerTo(there.ask({ kind: 'deregisterTarget', target: 'uid-web' }));
  it.refused.delete('proxy');
  await until(() => proxy.replies.some((reply) => reply.kind === 'targetAccepted' && reply.request === 0));
  await until(() => it.reachable.has('web'));
});

test('what is sent again before its target is registered waits for that', async (t) => {
  const it = world(t);
  const gate = Promise.withResolvers<void>();
  it.putDown = () => gate.promise;
  const fleetlet = it.fleetlet('f1', ['web']);
  const registered = fleetlet.register('web');
  fleetlet.says('web', 'early');
  await until(() => it.described.length === 1);
  assert.deepEqual(it.taken, []);
  gate.resolve();
  await registered;
  await until(() => it.taken.length === 1);
});

test('the next process of a fleetlet takes the place of the one before, which does not get it back', async (t) => {
  const it = world(t);
  const old = it.fleetlet('f1', ['web']);
  await old.register('web');
  const next = it.fleetlet('f1', ['web']);
  assert.equal((await next.register('web')).kind, 'targetAccepted');
  await until(() => old.states.some((state) => state.kind !== 'connected' && state.kind !== 'connecting'));
  assert.equal(it.hub.sessions().length, 1);
  await sendOnceOpen(it, 'web', 'an order');
  await until(() => next.delivered.includes('an order'));
  assert.deepEqual(old.delivered, []);
});

test('one that is revoked is ended at once, and refused when it comes again', async (t) => {
  const it = world(t);
  const fleetlet = it.fleetlet('f1', ['web']);
  await fleetlet.register('web');
  it.refused.set('f1', { kind: 'refused', reason: 'revoked', message: 'it was revoked' });
  it.hub.closeFleetlet('f1', 'revoked', 'it was revoked');
  assert.ok(!it.reachable.has('web'));
  await until(() => it.presence.at(-1) === 'web off');
  await until(() => fleetlet.states.some((state) => state.kind === 'refused' && state.reason === 'revoked'));
  await assert.rejects(it.hub.send('delivery', { target: 'uid-web', payload: text('x') }, signal), {
    code: 'SESSION_GONE',
  });
});

test('a certificate that expires ends the connection, and one that was renewed goes on where it was', async (t) => {
  const it = world(t);
  it.notAfter.set('f1', it.clock.now() + 5_000);
  const fleetlet = it.fleetlet('f1', ['web']);
  await fleetlet.register('web');
  it.notAfter.delete('f1');
  await it.clock.untilSleeping(2);
  for (let passed = 0; passed < 6; passed += 1) await it.clock.advance(1_000);
  await until(() => it.presence.length === 3);
  assert.deepEqual(it.presence, ['web on', 'web off', 'web on']);
});

test('a newer certificate ends what was opened with the one before, and the same process goes on where it was', async (t) => {
  const it = world(t);
  const fleetlet = it.fleetlet('f1', ['web']);
  await fleetlet.register('web');
  it.issuedAt.set('f1', 1_000);
  fleetlet.uplink.open({ name: 'status', mode: 'reliable', connectionClass: 'bulk' }, { message: () => {} });
  await until(() => it.presence.length === 3);
  assert.deepEqual(it.presence, ['web on', 'web off', 'web on']);
  assert.ok(!it.kinds().includes('forgotten'), 'its channels went on');
});

test('a copy of an earlier certificate is kept out, and what it opened before is ended', async (t) => {
  const it = world(t);
  const fleetlet = it.fleetlet('f1', ['web']);
  await fleetlet.register('web');
  const copy = it.fleetlet('f1/copy');
  await copy.register('web');
  await until(() => it.kinds().includes('replaced'));
  it.issuedAt.set('f1', 1_000);
  // Its place was taken by a later process, and it would not get it back with the certificate that both had.
  fleetlet.cut();
  await until(() => copy.states.some((state) => state.kind === 'refused' && state.reason === 'unauthenticated'));
  assert.equal(it.hub.sessions().length, 1);
  await until(() => it.hub.sessions()[0]?.address === 'f1' && it.hub.isConnected('f1'));
});

test('one that never says that it is there is not taken for connected for ever', async (t) => {
  const it = world(t);
  const fleetlet = it.fleetlet('f1', ['web']);
  await fleetlet.register('web');
  await it.clock.untilSleeping(2);
  for (let passed = 0; passed < 14; passed += 1) await it.clock.advance(1_000);
  assert.deepEqual(it.presence, ['web on'], 'three heartbeats are not over');
  // By the hub's clock the session has just connected, so the first beat does not count.
  for (let passed = 0; passed < 8; passed += 1) await it.clock.advance(1_000);
  await until(() => it.presence.includes('web off'));
});

test('a channel that nobody handles is refused, and no other stream with it', async (t) => {
  const it = world(t);
  const fleetlet = it.fleetlet('f1', ['web']);
  const closed = Promise.withResolvers<string>();
  fleetlet.uplink.open(
    { name: 'addon/unknown', mode: 'reliable', connectionClass: 'control' },
    { message: () => {}, closed: ({ reason }) => closed.resolve(reason) },
  );
  assert.equal(await closed.promise, 'unknownChannel');
  assert.equal((await fleetlet.register('web')).kind, 'targetAccepted');
});

test('a process that stands by takes nobody, and says when to come again', async (t) => {
  const it = world(t);
  it.activity = { kind: 'away', reason: 'unavailable', message: 'another one does that', retryAfterMs: 1 };
  const fleetlet = it.fleetlet('f1', ['web']);
  await until(() => it.kinds().includes('refused'));
  it.activity = { kind: 'active' };
  assert.equal((await fleetlet.register('web')).kind, 'targetAccepted');
});

test('a process that acts no longer sends everybody to the one that does', async (t) => {
  const it = world(t);
  const fleetlet = it.fleetlet('f1', ['web']);
  await fleetlet.register('web');
  it.activity = { kind: 'away', reason: 'unavailable', message: 'another one does that', retryAfterMs: 60_000 };
  await it.clock.untilSleeping(2);
  await it.clock.advance(1_000);
  await until(() => it.presence.at(-1) === 'web off');
  await until(() => fleetlet.states.some((state) => state.kind === 'disconnected'));
  assert.deepEqual(it.hub.sessions(), []);
});

test('a drain sends everybody away for a time of his own, and puts down who went', async (t) => {
  const it = world(t);
  const names = ['f1', 'f2', 'f3'];
  const fleetlets = names.map((name) => it.fleetlet(name, [`web-${name}`]));
  await Promise.all(fleetlets.map((fleetlet) => fleetlet.register(`web-${fleetlet.name}`)));
  await it.hub.drain(signal);
  assert.deepEqual(it.presence.filter((line) => line.endsWith('off')).toSorted(), [
    'web-f1 off',
    'web-f2 off',
    'web-f3 off',
  ]);
  const waits = fleetlets.map(async ({ states }) => {
    await until(() => states.some((state) => state.kind === 'disconnected'));
    const state = states.findLast(({ kind }) => kind === 'disconnected');
    return state?.kind === 'disconnected' ? state.retryInMs : 0;
  });
  const [a = 0, b = 0, c = 0] = await Promise.all(waits);
  assert.ok(new Set([a, b, c]).size === 3, `they come back at ${a}, ${b} and ${c} ms`);
});

test('so many targets tell all that they have at once', async (t) => {
  const it = world(t, { limits: { syncsAtOnce: 1 } });
  const fleetlet = it.fleetlet('f1', ['a', 'b']);
  await fleetlet.register('a');
  await fleetlet.register('b');
  await until(() => fleetlet.has('syncNow'));
  const told = (): string[] => fleetlet.replies.flatMap((reply) => (reply.kind === 'syncNow' ? reply.targets : []));
  assert.deepEqual(told(), ['uid-a']);
  it.hub.synced('uid-a');
  await until(() => told().length === 2);
  assert.deepEqual(told(), ['uid-a', 'uid-b']);
});

test('what cannot be put down is refused as invalid, and a platform in trouble asks to be asked again', async (t) => {
  const it = world(t);
  it.describe = ({ properties }) => (properties === 'no object' ? 'the properties are no object' : undefined);
  const fleetlet = it.fleetlet('f1', ['web']);
  const invalid = await fleetlet.register('web', 'colocated', { properties: 'no object' });
  assert.equal(invalid.kind === 'targetRefused' && invalid.reason, 'invalid');
  it.describe = () => {
    throw new Error('the database is away');
  };
  const trouble = await fleetlet.register('web');
  assert.equal(trouble.kind === 'targetRefused' && trouble.reason, 'unavailable');
  it.describe = () => undefined;
  assert.equal((await fleetlet.register('web')).kind, 'targetAccepted');
});

test('a fleetlet has a bound on its targets', async (t) => {
  const it = world(t, { limits: { targetsPerSession: 1 } });
  const fleetlet = it.fleetlet('f1', ['a', 'b']);
  assert.equal((await fleetlet.register('a')).kind, 'targetAccepted');
  assert.equal((await fleetlet.register('b')).kind, 'targetRefused');
  assert.equal((await fleetlet.register('a')).kind, 'targetAccepted');
});

test('who is deregistered is gone, and speaks no more', async (t) => {
  const it = world(t);
  const fleetlet = it.fleetlet('f1', ['web']);
  await fleetlet.register('web');
  await fleetlet.answerTo(fleetlet.ask({ kind: 'deregisterTarget', target: 'uid-web' }));
  assert.ok(!it.reachable.has('web'));
  fleetlet.says('web', 'still here');
  await until(() => it.kinds().includes('messageRefused'));
});

test('a send waits while the fleetlet takes nothing, and no longer than its caller', async (t) => {
  const it = world(t);
  const fleetlet = it.fleetlet('f1', ['web']);
  fleetlet.acknowledges = false;
  await fleetlet.register('web');
  await sendOnceOpen(it, 'web', 'first');
  const stop = new AbortController();
  const flood = async (): Promise<void> => {
    for (;;) await it.hub.send('delivery', { target: 'uid-web', payload: Buffer.alloc(50_000) }, stop.signal);
  };
  const flooding = assert.rejects(flood(), { name: 'AbortError' });
  await until(() => (it.hub.sessions()[0]?.bufferedBytes ?? 0) > 4 * 1024 * 1024);
  const { bufferedBytes = 0 } = it.hub.sessions()[0] ?? {};
  assert.ok(bufferedBytes <= 9 * 1024 * 1024, `${bufferedBytes} bytes are kept`);
  stop.abort();
  await flooding;
});

test('bytes: the fleetlet is asked to call, and only with the word that it was given', async (t) => {
  const it = world(t);
  const fleetlet = it.fleetlet('f1', ['web']);
  await fleetlet.register('web');
  const heard: string[] = [];
  const opening = it.hub.openBytes(
    { target: 'uid-web', channel: 'tunnel/api' },
    { data: (data) => heard.push(Buffer.from(data).toString()), room: () => {}, ended: () => {}, closed: () => {} },
    signal,
  );
  await until(() => fleetlet.has('openStream'));
  const asked = fleetlet.replies.find((reply) => reply.kind === 'openStream');
  assert.ok(asked?.kind === 'openStream');
  const answers: string[] = [];
  const quiet = { room: () => {}, ended: () => {} };
  const guessed = Promise.withResolvers<string | undefined>();
  fleetlet.uplink.openBytes(
    { name: 'tunnel/api', connectionClass: 'control', stream: 'guessed' },
    { ...quiet, data: () => {}, closed: guessed.resolve },
  );
  assert.ok(await guessed.promise);
  const theirs = fleetlet.uplink.openBytes(
    { name: 'tunnel/api', connectionClass: 'control', target: 'uid-web', stream: asked.stream },
    { ...quiet, data: (data) => answers.push(Buffer.from(data).toString()), closed: () => {} },
  );
  const ours = await opening;
  ours.write(text('GET'));
  theirs.write(text('200'));
  await until(() => heard.length > 0 && answers.length > 0);
  assert.deepEqual([heard, answers], [['200'], ['GET']]);
});

test('bytes with a key: an end that does not know of keys gets no stream, and the error asks for an upgrade', async (t) => {
  const it = world(t);
  const fleetlet = it.fleetlet('f1', ['web']);
  await fleetlet.register('web');
  const quiet = { data: () => {}, room: () => {}, ended: () => {}, closed: () => {} };
  for (const ticket of [undefined, text('keye'), text('keyed')]) {
    const key = text('secret');
    const opening = it.hub.openBytes({ target: 'uid-web', channel: 'tunnel/api', key }, quiet, signal);
    const settled = opening.then(
      () => 'open',
      (error: unknown) => (error as { readonly code: string }).code,
    );
    const asks = (): ControlReply[] => fleetlet.replies.filter(({ kind }) => kind === 'openStream');
    await until(() => asks().length === 1);
    const [asked] = asks();
    assert.ok(asked?.kind === 'openStream');
    assert.deepEqual(Buffer.from(asked.key), Buffer.from(key));
    fleetlet.replies.length = 0;
    fleetlet.uplink.openBytes(
      { name: 'tunnel/api', connectionClass: 'control', stream: asked.stream, ...(ticket && { ticket }) },
      quiet,
    );
    assert.equal(await settled, ticket?.length === 5 ? 'open' : 'UPGRADE_NEEDED');
  }
});

test('a fleetlet that does not call back in time is not waited for', async (t) => {
  const it = world(t);
  const fleetlet = it.fleetlet('f1', ['web']);
  await fleetlet.register('web');
  const sleeping = it.clock.sleeping;
  const quiet = { data: () => {}, room: () => {}, ended: () => {}, closed: () => {} };
  const late = assert.rejects(it.hub.openBytes({ target: 'uid-web', channel: 'tunnel/api' }, quiet, signal), {
    code: 'SESSION_GONE',
  });
  await it.clock.untilSleeping(sleeping + 1);
  await it.clock.advance(10_000);
  await late;
});

test('the fleetlet within the process is known without a proof', async (t) => {
  const it = world(t);
  it.refused.set('inside', { kind: 'refused', reason: 'unauthenticated', message: 'no certificate' });
  it.bound.set('embedded', ['web']);
  const inside = it.fleetlet('inside', [], it.hub.acceptEmbedded('embedded'));
  assert.equal((await inside.register('web')).kind, 'targetAccepted');
  assert.deepEqual(
    it.hub.sessions().map(({ fleetlet }) => fleetlet),
    ['embedded'],
  );
});

/** The fleetlet opens the channel a moment after control. */
async function sendOnceOpen({ hub }: HubWorld, target: string, said: string): Promise<void> {
  const message = { target: `uid-${target}`, payload: text(said) };
  for (;;) {
    try {
      return await hub.send('delivery', message, signal);
    } catch (error) {
      if (!(error instanceof ChannelError) || error.code !== 'CHANNEL_NOT_OPEN') throw error;
      await new Promise(setImmediate);
    }
  }
}
