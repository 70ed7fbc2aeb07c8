import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { after, before, describe, type TestContext, test } from 'node:test';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { decodeAccessAnswer, encodeAccessRequest, encodeControlRequest } from '#contexts/channels/adapters';
import { issuePeerCertificate } from '#kit/pki';
import { ChannelMode, CloseReason, type Frame, FrameSchema } from '#protocol/proto';
import { PATIENCE_MS } from '#testing/patience';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import { type EnrolledFleetlet, enrolledFleetlet, grpcOf, renewedFleetlet } from './testing/enrolled-fleetlet.ts';
import { ScriptedFleetlet, type ScriptedFleetletOptions } from './testing/scripted-fleetlet.ts';
import { type ServingPlatform, servingPlatform } from './testing/serving-platform.ts';

let platform: ServingPlatform;

interface TargetBody {
  readonly uid: string;
  readonly connection: { readonly state: string };
  readonly reportedLabels?: Record<string, string>;
}

function connect(t: TestContext, enrolled: EnrolledFleetlet, options: ScriptedFleetletOptions = {}): ScriptedFleetlet {
  const fleetlet = new ScriptedFleetlet(grpcOf(enrolled), options);
  t.after(() => fleetlet.stop());
  return fleetlet;
}

async function registered(fleetlet: ScriptedFleetlet, name: string): Promise<string> {
  const request = fleetlet.register(name);
  await eventually(`the answer about ${name}`, async () => fleetlet.answerTo(request) !== undefined);
  const answer = fleetlet.answerTo(request);
  assert.equal(answer?.kind, 'targetAccepted', JSON.stringify(answer));
  return answer?.kind === 'targetAccepted' ? answer.target : '';
}

async function stateIs(target: string, wanted: string): Promise<void> {
  await eventually(`${target} is ${wanted}`, async () => {
    const { connection } = await platform.call<TargetBody>('GET', `/v1/targets/${target}`);
    return connection.state === wanted;
  });
}

interface Counts {
  readonly available: number;
  readonly unknown: number;
}

/** Deploys to that target alone. */
async function deployTo(target: string): Promise<void> {
  await platform.call('POST', '/v1/workspaces/root/deployments', {
    name: `on-${target}`,
    manifest: { type: 'inline', documents: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hello' } }] },
    placement: [{ type: 'static', targets: [target] }],
    rollout: { type: 'immediate' },
  });
}

async function countsAre(target: string, wanted: Partial<Counts>): Promise<void> {
  await eventually(`on ${target} it is ${JSON.stringify(wanted)}`, async () => {
    const path = `/v1/workspaces/root/deployments/on-${target}`;
    const { status } = await platform.call<{ status: { counts: Counts } }>('GET', path);
    return Object.entries(wanted).every(([name, count]) => status.counts[name as keyof Counts] === count);
  });
}

/** The control stream of a fleetlet that sends only what the test sends. */
async function rawControl(t: TestContext, enrolled: EnrolledFleetlet) {
  const connection = await grpcOf(enrolled).connect(AbortSignal.timeout(PATIENCE_MS));
  t.after(() => connection.close());
  const heard: Frame[] = [];
  const frame = (bytes: Uint8Array): void => void heard.push(fromBinary(FrameSchema, bytes));
  const stream = connection.open({ frame, room: () => {}, closed: () => {} });
  const send = (kind: NonNullable<MessageInitShape<typeof FrameSchema>['kind']>): boolean =>
    stream.send(toBinary(FrameSchema, create(FrameSchema, { kind })));
  const memory = { incarnation: 'i1' };
  const open = { version: 1, oldestVersion: 1, session: enrolled.uid, channel: 'control', mode: ChannelMode.RELIABLE };
  send({ case: 'open', value: { ...open, memory, window: { messages: 8, bytes: 1024n } } });
  await eventually('it is opened', async () => heard.some(({ kind }) => kind.case === 'opened'));
  return { heard, send };
}

describe('fleetlets over gRPC', () => {
  before(async () => {
    platform = await servingPlatform();
  });

  after(() => platform.stop());

  test('a fleetlet enrols, registers its target, takes an order, and what it says of it arrives', async (t) => {
    const enrolled = await enrolledFleetlet(platform, ['web-1']);
    const fleetlet = connect(t, enrolled);
    const request = fleetlet.register('web-1', { labels: { zone: 'a' }, properties: '{"disk":"ssd"}' });
    await eventually('it is accepted', async () => fleetlet.answerTo(request)?.kind === 'targetAccepted');
    await stateIs('web-1', 'Connected');
    const target = await platform.call<TargetBody>('GET', '/v1/targets/web-1');
    assert.deepEqual(target.reportedLabels, { 'agent.fleetshift.io/zone': 'a' });
    await eventually('it is asked for all that it has', async () =>
      fleetlet.replies.some((reply) => reply.kind === 'syncNow' && reply.targets.includes(target.uid)),
    );
    fleetlet.inventory(target.uid);
    await deployTo('web-1');
    await eventually('the order came', async () => fleetlet.orders.length === 1);
    await countsAre('web-1', { available: 1 });
  });

  test('a connection that is cut is told at once; back again, health is unknown until the inventory', async (t) => {
    const fleetlet = connect(t, await enrolledFleetlet(platform, ['web-2']));
    const uid = await registered(fleetlet, 'web-2');
    fleetlet.inventory(uid);
    await deployTo('web-2');
    await countsAre('web-2', { available: 1 });
    fleetlet.canConnect = false;
    await fleetlet.cut();
    await stateIs('web-2', 'Disconnected');
    fleetlet.canConnect = true;
    await stateIs('web-2', 'Connected');
    await countsAre('web-2', { available: 0, unknown: 1 });
    fleetlet.inventory(uid);
    await countsAre('web-2', { available: 1, unknown: 0 });
  });

  test('a target of another fleetlet is refused', async (t) => {
    await enrolledFleetlet(platform, ['theirs']);
    const fleetlet = connect(t, await enrolledFleetlet(platform, ['mine']));
    const request = fleetlet.register('theirs');
    await eventually('the answer', async () => fleetlet.answerTo(request) !== undefined);
    const answer = fleetlet.answerTo(request);
    assert.equal(answer?.kind === 'targetRefused' && answer.reason, 'notBound');
  });

  test('whoever shows no certificate, or one of another authority, is refused with a reason', async (t) => {
    const enrolled = await enrolledFleetlet(platform, ['web-4']);
    const none = new ScriptedFleetlet(grpcOf(enrolled, false));
    t.after(() => none.stop());
    await eventually('it is refused', async () => none.isRefused === 'unauthenticated');
    const foreign = connect(t, { ...enrolled, certificate: foreignCertificate(enrolled) });
    await eventually('it is refused', async () => foreign.isRefused === 'unauthenticated');
  });

  test('one that is revoked is cut off at once, and refused from then on', async (t) => {
    const enrolled = await enrolledFleetlet(platform, ['web-5']);
    const fleetlet = connect(t, enrolled);
    await registered(fleetlet, 'web-5');
    await platform.call('POST', `/v1/fleetlets/${enrolled.name}:revoke`);
    await eventually('it is refused', async () => fleetlet.isRefused === 'revoked');
    await stateIs('web-5', 'Disconnected');
  });

  test('a copy of the certificate is cut off once the fleetlet connects with a newer one, and the log says why', async (t) => {
    const enrolled = await enrolledFleetlet(platform, ['renewed']);
    const copy = connect(t, enrolled);
    await registered(copy, 'renewed');
    const renewed = await renewedFleetlet(platform, enrolled);
    assert.equal(copy.isRefused, undefined, 'the new certificate was not used yet');
    const fleetlet = connect(t, renewed);
    await registered(fleetlet, 'renewed');
    await eventually('the copy is refused', async () => copy.isRefused === 'unauthenticated');
    assert.ok(
      platform.lines.some(({ msg, reason }) => msg === 'fleetlet refused' && /newer cert/.test(String(reason))),
    );
    await stateIs('renewed', 'Connected');
    assert.equal(fleetlet.isRefused, undefined);
  });

  test('an unknown channel is refused, and no other with it', async (t) => {
    const fleetlet = connect(t, await enrolledFleetlet(platform, ['web-6']));
    const closed = Promise.withResolvers<string>();
    fleetlet.uplink.open(
      { name: 'addon/unknown', mode: 'reliable', connectionClass: 'control' },
      { message: () => {}, closed: ({ reason }) => closed.resolve(reason) },
    );
    assert.equal(await closed.promise, 'unknownChannel');
    await registered(fleetlet, 'web-6');
  });

  test('a malformed frame ends its stream, and no other', async (t) => {
    const enrolled = await enrolledFleetlet(platform, ['web-7']);
    const connection = await grpcOf(enrolled).connect(AbortSignal.timeout(PATIENCE_MS));
    t.after(() => connection.close());
    const ended = Promise.withResolvers<void>();
    const stream = connection.open({ frame: () => {}, room: () => {}, closed: () => ended.resolve() });
    stream.send(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    await ended.promise;
    await eventually('it is in the log', async () => platform.lines.some(({ msg }) => msg.includes('malformed')));
    await registered(connect(t, enrolled), 'web-7');
  });

  test('a message that is too large ends its stream, and says so', async (t) => {
    const { heard, send } = await rawControl(t, await enrolledFleetlet(platform, ['web-large']));
    send({ case: 'message', value: { id: 1n, chunkedSize: 65n * 1024n * 1024n, sha256: new Uint8Array(32) } });
    await eventually('it is closed', async () => heard.some(({ kind }) => kind.case === 'close'));
    const closed = heard.find(({ kind }) => kind.case === 'close')?.kind;
    assert.equal(closed?.case === 'close' && closed.value.reason, CloseReason.TOO_LARGE);
  });

  for (const [name, why] of [
    ['silent-1', 'after it has said once that it is there'],
    ['silent-2', 'and never said that it is there'],
  ] as const) {
    test(`one that falls silent ${why} is gone after three heartbeats, though its connection is open`, async (t) => {
      const { send } = await rawControl(t, await enrolledFleetlet(platform, [name]));
      if (name === 'silent-1') send({ case: 'ping', value: { nonce: 1n } });
      const claim = { name, type: 'directory', serving: 'colocated', labels: {}, properties: '' } as const;
      const said = { ...claim, manifestTypes: [], instance: '', agentVersion: '' };
      const payload = encodeControlRequest({ request: 1, kind: 'registerTarget', claim: said });
      send({ case: 'message', value: { id: 1n, payload: Uint8Array.from(payload) } });
      await eventually('it was connected', async () =>
        platform.lines.some(({ msg, subject }) => msg === 'target connected' && subject === `targets/${name}`),
      );
      await stateIs(name, 'Disconnected');
    });
  }

  test('of two that speak for one target the later one does, and the other is told', async (t) => {
    const proxy = connect(t, await enrolledFleetlet(platform, ['web-8']), { serving: 'proxy' });
    await registered(proxy, 'web-8');
    const there = connect(t, await enrolledFleetlet(platform, ['web-8'], { named: true }));
    await registered(there, 'web-8');
    await eventually('the proxy hears of it', async () =>
      proxy.replies.some(({ kind }) => kind === 'targetSuperseded'),
    );
    await stateIs('web-8', 'Connected');
  });

  test('who asks about access is answered from what the platform knows', async (t) => {
    const fleetlet = connect(t, await enrolledFleetlet(platform, ['web-9']));
    const ask = async (token: string) => {
      const before = fleetlet.answers.length;
      const question = { kind: 'permissions', token, permission: 'targets.read' } as const;
      fleetlet.access.trySend({ payload: encodeAccessRequest({ request: before + 1, question }) });
      await eventually('the answer', async () => fleetlet.answers.length > before);
      return decodeAccessAnswer(fleetlet.answers.at(-1) ?? new Uint8Array())?.facts;
    };
    assert.deepEqual(await ask('nobody'), {
      kind: 'fault',
      code: 'unauthenticated',
      message: 'This token is unknown, revoked or expired.',
    });
    await platform.call('POST', '/v1/workspaces', { name: 'shop' });
    await platform.call('POST', '/v1/workspaces/shop/service-accounts', { name: 'robot' });
    await platform.call('POST', '/v1/workspaces/shop/grants', {
      subject: { kind: 'serviceAccount', id: 'shop/robot' },
      role: 'viewer',
    });
    const { token } = await platform.call<{ token: string }>(
      'POST',
      '/v1/workspaces/shop/service-accounts/robot/tokens',
      {},
    );
    assert.deepEqual(await ask(token), { kind: 'permissions', workspaces: ['/root/shop/'] });
  });

  test('a platform that stops sends its fleetlets away, and puts down that they went', async (t) => {
    const stopping = await servingPlatform();
    t.after(() => stopping.stop());
    const fleetlet = connect(t, await enrolledFleetlet(stopping, ['web-10']));
    await registered(fleetlet, 'web-10');
    await stopping.stop();
    await eventually('it is sent away', async () =>
      fleetlet.states.some((state) => state.kind === 'disconnected' && state.why.includes('shutting down')),
    );
  });
});

/** For the same fleetlet and key, signed by a foreign authority. */
function foreignCertificate({ uid, key }: EnrolledFleetlet): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return issuePeerCertificate(
    { name: 'somebody', key: privateKey },
    {
      name: uid,
      publicKey: createPublicKey(key),
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + 3_600_000),
      uri: `fleetshift://fleetlet/${uid}`,
      dnsName: uid,
    },
  );
}
