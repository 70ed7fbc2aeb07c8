import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { Secret, sleep } from '#kit/std';
import { listenGrpc } from '#kit/transport/grpc';
import { createMemoryTransport } from '#kit/transport/memory';
import { CHANNEL_METHOD } from '../adapters/channel-method.ts';
import { connectLocal } from '../adapters/connect-local.ts';
import {
  decodeControlReply,
  decodeControlRequest,
  encodeControlReply,
  encodeControlRequest,
} from '../adapters/control-codec.ts';
import { frameAcceptor, frameConnections } from '../adapters/frame-links.ts';
import type { ControlReply, ControlRequest, TargetClaim } from '../domain/control-message.ts';
import { AcceptingEnd } from '../testing/accepting-end.ts';
import { anUplink, text, until } from '../testing/an-uplink.ts';
import { LocalClient, type LocalClientDeps } from './local-client.ts';

const NO_SIGNAL = new AbortController().signal;

function aClaim(name: string): TargetClaim {
  return {
    name,
    type: 'directory',
    serving: 'colocated',
    labels: { region: 'eu' },
    properties: '{}',
    manifestTypes: ['files'],
    instance: 'one',
    agentVersion: '1',
  };
}

/** The control channel of a fleetlet: accepts every target that is registered. */
class Fleetlet {
  readonly end = new AcceptingEnd();
  readonly asked: ControlRequest[] = [];
  answer: (request: ControlRequest) => ControlReply | undefined = accept;

  constructor() {
    this.end.onMessage = (message, open) => {
      message.ack();
      if (open.channel !== 'control') return;
      const request = decodeControlRequest(message.payload);
      assert.ok(request);
      this.asked.push(request);
      const reply = this.answer(request);
      if (reply) this.say(reply);
    };
  }

  say(reply: ControlReply): void {
    assert.ok(this.end.of('control').trySend({ payload: encodeControlReply(reply) }));
  }

  kinds(): string[] {
    return this.asked.map(({ kind }) => kind);
  }
}

function accept(request: ControlRequest): ControlReply | undefined {
  if (request.kind !== 'registerTarget') return undefined;
  const { name } = request.claim;
  return { request: request.request, kind: 'targetAccepted', target: `uid-of-${name}`, name };
}

function stage(t: TestContext) {
  const fleetlet = new Fleetlet();
  const network = createMemoryTransport({ accept: frameAcceptor(fleetlet.end.acceptor.accept) });
  const running = anUplink(frameConnections(network.transport));
  const client = new LocalClient({
    uplink: alreadyRunning(running),
    wire: { encodeControlRequest, decodeControlReply },
    sleep,
    random: () => 0,
    retryMs: 10,
  });
  const over = new AbortController();
  const run = client.run(over.signal);
  t.after(async () => {
    over.abort();
    await run;
    await running.stop();
  });
  return { fleetlet, network, client };
}

function alreadyRunning({ uplink }: ReturnType<typeof anUplink>): LocalClientDeps['uplink'] {
  return {
    open: (spec, handlers) => uplink.open(spec, handlers),
    openBytes: (spec, handlers) => uplink.openBytes(spec, handlers),
    run: (signal) => sleep(3_600_000, signal).catch(() => {}),
    heartbeatMs: 0,
  };
}

suite('a local client', () => {
  test('registers its targets, and again when the fleetlet was away', async (t) => {
    const { fleetlet, network, client } = stage(t);
    const accepted: string[] = [];
    const target = client.registerTarget(aClaim('web'), { accepted: (uid) => accepted.push(uid) });
    await until(() => accepted.length === 1);
    assert.equal(target.uid, 'uid-of-web');
    fleetlet.end.forget();
    network.cut();
    await until(() => accepted.length === 2);
    assert.deepEqual(accepted, ['uid-of-web', 'uid-of-web']);
  });

  test('is told of a refusal and asks again, unless asking is no use', async (t) => {
    const { fleetlet, client } = stage(t);
    const heard: string[] = [];
    let refusals = 1;
    fleetlet.answer = (request) => {
      if (request.kind !== 'registerTarget') return undefined;
      const { name } = request.claim;
      if (name === 'odd') return { request: 1, kind: 'targetRefused', name, reason: 'invalid', message: 'odd' };
      if (refusals === 0) return accept(request);
      refusals -= 1;
      return { request: 1, kind: 'targetRefused', name, reason: 'served', message: 'by another' };
    };
    for (const name of ['odd', 'web']) {
      client.registerTarget(aClaim(name), {
        accepted: (uid) => heard.push(uid),
        refused: (reason) => heard.push(reason),
      });
    }
    await until(() => heard.length === 3);
    assert.deepEqual(heard, ['invalid', 'served', 'uid-of-web']);
    assert.equal(fleetlet.asked.length, 3);
  });

  test('is told of what concerns its targets, by their uid', async (t) => {
    const { fleetlet, client } = stage(t);
    const wanted: string[] = [];
    client.serveTunnel('api', (_bytes, { target, key }) => {
      wanted.push(`${target} ${Buffer.from(key).toString()}`);
      return { data: () => {}, room: () => {}, ended: () => {}, closed: () => {} };
    });
    const heard: string[] = [];
    for (const name of ['web', 'db']) {
      client.registerTarget(aClaim(name), {
        accepted: () => heard.push(`${name} accepted`),
        superseded: (message) => heard.push(`${name} ${message}`),
        syncNow: () => heard.push(`${name} sync`),
      });
    }
    await until(() => heard.length === 2);
    fleetlet.say({ request: 0, kind: 'syncNow', targets: ['uid-of-db', 'uid-of-nobody'] });
    fleetlet.say({ request: 0, kind: 'targetSuperseded', target: 'uid-of-web', message: 'superseded' });
    const asked = { stream: 's1', channel: 'tunnel/api', target: 'uid-of-web', mode: 'bytes', deadline: 0 } as const;
    fleetlet.say({ request: 0, kind: 'openStream', ...asked, key: Buffer.from('secret') });
    await until(() => wanted.length === 1);
    assert.deepEqual(wanted, ['uid-of-web secret']);
    assert.deepEqual(heard.slice(2), ['db sync', 'web superseded']);
  });

  test('takes a target back, also one that was not accepted yet', async (t) => {
    const { fleetlet, client } = stage(t);
    let accepted = 0;
    const target = client.registerTarget(aClaim('web'), { accepted: () => (accepted += 1) });
    await until(() => accepted === 1);
    target.update({ ...aClaim('web'), labels: { region: 'us' } });
    await target.deregister(NO_SIGNAL);
    assert.deepEqual(fleetlet.kinds(), ['registerTarget', 'updateTarget', 'deregisterTarget']);
    const hasty = client.registerTarget(aClaim('db'), { accepted: () => (accepted += 1) });
    await hasty.deregister(NO_SIGNAL);
    await until(() => fleetlet.asked.length === 5);
    const last = fleetlet.asked.at(-1);
    assert.ok(last?.kind === 'deregisterTarget' && last.target === 'uid-of-db');
    assert.equal(accepted, 1);
  });

  test('hears that the platform is back, on each channel, from its fleetlet', async (t) => {
    const { fleetlet, client } = stage(t);
    let resumed = 0;
    client.open({ name: 'status' }, { message: () => {}, resumed: () => (resumed += 1) });
    await until(() => fleetlet.end.channels.size === 2);
    fleetlet.end.acceptor.tellResumed(fleetlet.end.of('status'));
    await until(() => resumed === 1);
  });

  for (const where of ['a Unix socket', 'TCP'] as const) {
    test(`speaks over ${where}, with its token, and leaves nothing behind`, async (t) => {
      const fleetlet = new Fleetlet();
      const tokens: (string | undefined)[] = [];
      const folder = await mkdtemp(join(tmpdir(), 'local-client-'));
      const server = await listenGrpc({
        at: where === 'TCP' ? { host: '127.0.0.1', port: 0 } : { path: join(folder, 'fleetlet.sock') },
        path: CHANNEL_METHOD,
        accept: frameAcceptor((link) => {
          tokens.push(link.peer.headers['authorization']);
          return fleetlet.end.acceptor.accept(link);
        }),
      });
      t.after(async () => {
        await server.close();
        await rm(folder, { recursive: true, force: true });
      });
      const token = where === 'TCP' ? { token: () => new Secret('sesame') } : {};
      const client = connectLocal({ to: server.address, process: 'agent', ...token });
      const over = new AbortController();
      const run = client.run(over.signal);
      let uid = '';
      client.registerTarget(aClaim('web'), { accepted: (known) => (uid = known) });
      const status = client.open({ name: 'status' }, { message: () => {} });
      await status.send({ payload: text('all is well'), target: 'uid-of-web' }, NO_SIGNAL);
      await until(() => uid !== '' && fleetlet.end.taken.some(({ channel }) => channel === 'status'));
      fleetlet.say({ request: 0, kind: 'welcome', ...aWelcome() });
      await until(() => client.welcome?.fleetlet === 'f1');
      over.abort();
      await run;
      assert.deepEqual(new Set(tokens), new Set([where === 'TCP' ? 'Bearer sesame' : undefined]));
    });
  }
});

function aWelcome() {
  return {
    platform: 'p',
    platformVersion: '1',
    fleetlet: 'f1',
    heartbeatMs: 5_000,
    authorities: '',
    ticketKey: '',
  };
}
