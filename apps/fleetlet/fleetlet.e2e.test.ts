import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, connect as tcpConnect } from 'node:net';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import type { LocalClient, LocalTarget } from '#contexts/channels';
import { connectLocal } from '#contexts/channels/adapters';
import { readSigningRequest } from '#kit/pki';
import { Secret } from '#kit/std';
import { type FleetletHome, fleetletHome } from '#runtime/fleetlet/testing/fleetlet-process';
import { FLEETLET, ScriptedPlatform, TOKEN } from '#runtime/fleetlet/testing/scripted-platform';
import { until } from '../../contexts/channels/testing/an-uplink.ts';

async function aPlatform(t: TestContext): Promise<ScriptedPlatform> {
  const platform = new ScriptedPlatform();
  await platform.start();
  t.after(() => platform.close());
  return platform;
}

/** Flags for the first start on a new machine. */
async function firstFlags(home: FleetletHome, platform: ScriptedPlatform): Promise<string[]> {
  const ca = await home.write('ca.pem', platform.authority);
  const token = await home.write('token', `${TOKEN}\n`);
  const target = ['--target', 'edge-1=directory'];
  return ['--platform', platform.apiUrl, '--ca-file', ca, '--bootstrap-token-file', token, ...target];
}

function running(t: TestContext, client: LocalClient): LocalClient {
  const over = new AbortController();
  const done = client.run(over.signal);
  t.after(async () => {
    over.abort();
    await done;
  });
  return client;
}

const CLAIM = {
  name: 'edge-1',
  type: 'directory',
  serving: 'colocated',
  labels: {},
  properties: '{}',
  manifestTypes: [],
  instance: '',
  agentVersion: '1',
} as const;

suite('a fleetlet as a process', () => {
  test('enrols, connects with its certificate, and relays between an agent on its socket and the platform', async (t) => {
    const [platform, home] = [await aPlatform(t), await fleetletHome(t)];
    const fleetlet = await home.start(await firstFlags(home, platform));
    assert.deepEqual(platform.enrolments[0]?.body['targets'], [{ name: 'edge-1', type: 'directory' }]);
    assert.equal(statSync(join(home.folder, 'data/key.pem')).mode & 0o777, 0o600);
    assert.match(readFileSync(join(home.folder, 'data/certificate.pem'), 'utf8'), /BEGIN CERTIFICATE/);

    const client = running(t, connectLocal({ to: { path: home.socket }, process: 'agent' }));
    const heard: string[] = [];
    const delivery = client.open(
      { name: 'delivery' },
      {
        message: (message) => {
          heard.push(Buffer.from(message.payload).toString());
          message.ack();
        },
      },
    );
    const uid = await new Promise<string>((accepted) => void client.registerTarget(CLAIM, { accepted }));
    assert.equal(uid, 'uid-edge-1');
    await until(() => platform.end.opens.some(({ channel }) => channel === 'delivery'));
    await platform.end.of('delivery').send({ payload: Buffer.from('apply'), target: uid }, t.signal);
    await until(() => heard.length === 1);
    await delivery.send({ payload: Buffer.from('applied'), target: uid }, t.signal);
    await until(() => platform.end.taken.some(({ text }) => text === 'applied'));
    assert.deepEqual(
      [...platform.callers],
      [`URI:fleetshift://fleetlet/${FLEETLET}, DNS:${FLEETLET}.fleetlet.fleetshift.internal`],
    );

    await fleetlet.process.stop('SIGTERM');
    await fleetlet.says(/"msg":"stopped"/);
  });

  test('a second start needs no token, and an agent that was there all the time goes on by itself', async (t) => {
    const [platform, home] = [await aPlatform(t), await fleetletHome(t)];
    const flags = await firstFlags(home, platform);
    const first = await home.start(flags);
    const client = running(
      t,
      connectLocal({ to: { path: home.socket }, process: 'agent', pace: { baseMs: 20, capMs: 200 } }),
    );
    const accepted: string[] = [];
    const target: LocalTarget = client.registerTarget(CLAIM, { accepted: (uid) => void accepted.push(uid) });
    const status = client.open({ name: 'status' }, { message: () => {} });
    await until(() => accepted.length > 0);
    await first.process.stop('SIGKILL');
    await status.send({ payload: Buffer.from('while it was away'), target: target.uid ?? '' }, t.signal);
    await home.start(
      flags.filter(
        (_, index) => !(flags[index] ?? '').includes('token') && !(flags[index - 1] ?? '').includes('bootstrap'),
      ),
    );
    await until(() => platform.end.taken.some(({ text }) => text === 'while it was away'));
    assert.equal(platform.enrolments.length, 1);
  });

  test('over WebSockets it says who it is with each stream', async (t) => {
    const [platform, home] = [await aPlatform(t), await fleetletHome(t)];
    await home.start([...(await firstFlags(home, platform)), '--transport', 'websocket']);
    await until(() => platform.end.opens.some(({ channel }) => channel === 'access'));
    assert.deepEqual(
      [...platform.callers],
      [`URI:fleetshift://fleetlet/${FLEETLET}, DNS:${FLEETLET}.fleetlet.fleetshift.internal`],
    );
  });

  test('it goes through a proxy, by CONNECT, for all that it does', async (t) => {
    const [platform, home] = [await aPlatform(t), await fleetletHome(t)];
    const proxied: string[] = [];
    const proxy = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (head: Buffer) => {
        const [, to = ''] = /^CONNECT (\S+)/.exec(head.toString()) ?? [];
        proxied.push(to);
        const onward = tcpConnect(Number(to.split(':').at(-1)), '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          socket.pipe(onward).pipe(socket);
        });
        onward.on('error', () => socket.destroy());
        socket.on('close', () => onward.destroy());
      });
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    t.after(() => proxy.close());
    const address = proxy.address();
    assert.ok(address !== null && typeof address === 'object');
    await home.start([...(await firstFlags(home, platform)), '--proxy', `http://127.0.0.1:${address.port}`]);
    await until(() => platform.end.opens.some(({ channel }) => channel === 'control'));
    assert.ok(proxied.includes(new URL(platform.apiUrl).host));
    assert.ok(proxied.includes(platform.grpcAddress));
  });

  test('a platform whose authority it does not know is not spoken to, and the log says why', async (t) => {
    const [platform, home] = [await aPlatform(t), await fleetletHome(t)];
    const flags = (await firstFlags(home, platform)).filter((flag) => flag !== '--ca-file' && !flag.endsWith('ca.pem'));
    const started = home.start(flags);
    started.catch(() => undefined);
    await until(() => {
      try {
        return /certificate is not trusted/.test(readFileSync(join(home.folder, 'log-0'), 'utf8'));
      } catch {
        return false;
      }
    });
    assert.deepEqual(platform.enrolments, []);
  });

  test('a bootstrap token that is refused ends it, with the sentence of the platform', async (t) => {
    const [platform, home] = [await aPlatform(t), await fleetletHome(t)];
    const flags = await firstFlags(home, platform);
    await home.write('token', 'fsb_another\n');
    const { process, says } = await home.start(flags);
    await says(/This is no bootstrap token/);
    await until(() => process.hasEnded);
  });

  test('a certificate that is about to expire is renewed with a new key, and the platform sees it at once', async (t) => {
    const [platform, home] = [await aPlatform(t), await fleetletHome(t)];
    const file = (name: string): string => readFileSync(join(home.folder, 'data', name), 'utf8');
    platform.certificateLifeMs = 2_000;
    const { says } = await home.start(await firstFlags(home, platform));
    platform.certificateLifeMs = 86_400_000;
    await says(/certificate renewed/);
    const [first, second] = platform.enrolments.map(({ body }) => readSigningRequest(String(body['csr'])));
    assert.equal(platform.enrolments[1]?.path, '/v1/enroll:renew');
    assert.ok(first && second && !first.equals(second));
    const certificate = new X509Certificate(file('certificate.pem'));
    assert.ok(certificate.checkPrivateKey(createPrivateKey(file('key.pem'))));
    await until(() => platform.serials.has(certificate.serialNumber));
    assert.equal(existsSync(join(home.folder, 'data/key.next.pem')), false);
  });

  test('one that is revoked says so, and what to do', async (t) => {
    const [platform, home] = [await aPlatform(t), await fleetletHome(t)];
    platform.end.refuse = () => ({ kind: 'refused', reason: 'revoked', message: 'This fleetlet was revoked.' });
    const { says } = await home.start([...(await firstFlags(home, platform)), '--metrics-listen', '127.0.0.1:0']);
    const said = await says(/remove certificate.pem from its data folder and start it with a new bootstrap token/);
    const [, port] = /"address":"127.0.0.1:(\d+)","msg":"metrics"/.exec(said) ?? [];
    const health = await fetch(`http://127.0.0.1:${port}/healthz`);
    assert.equal(health.status, 503);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    assert.match(metrics, /^fleetshift_fleetlet_connected 0$/m);
  });

  test('over TCP a local process is known by its token, and nobody else is let in', async (t) => {
    const [platform, home] = [await aPlatform(t), await fleetletHome(t)];
    const tokens = await home.write('tokens', '# who\nscorer 0123456789abcdef0123\n');
    const tcp = ['--listen-tcp', '127.0.0.1:0', '--local-token-file', tokens, '--allow', 'scores=token:scorer'];
    const { says } = await home.start([...(await firstFlags(home, platform)), ...tcp]);
    const [, port] = /"127.0.0.1:(\d+)"\]/.exec(await says(/"msg":"serving"/)) ?? [];
    const to = { host: '127.0.0.1', port: Number(port) };
    const scorer = running(t, connectLocal({ to, process: 'scorer', token: () => new Secret('0123456789abcdef0123') }));
    await scorer.open({ name: 'scores' }, { message: () => {} }).send({ payload: Buffer.from('9') }, t.signal);
    await until(() => platform.end.taken.some(({ text }) => text === '9'));
    const states: string[] = [];
    running(
      t,
      connectLocal({
        to,
        process: 'thief',
        token: () => new Secret('another'),
        onState: ({ kind }) => void states.push(kind),
      }),
    );
    await until(() => states.includes('refused'));
  });
});
