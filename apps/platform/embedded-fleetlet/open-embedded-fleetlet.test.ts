import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import type { AccessQuestion, LocalClient } from '#contexts/channels';
import { connectLocal, decodeAccessAnswer, encodeAccessRequest } from '#contexts/channels/adapters';
import { Secret } from '#kit/std';
import { memoryLogger } from '#kit/telemetry/testing';
import { AcceptingEnd } from '../../../contexts/channels/testing/accepting-end.ts';
import { until } from '../../../contexts/channels/testing/an-uplink.ts';
import { type EmbeddedFleetletDeps, openEmbeddedFleetlet } from './open-embedded-fleetlet.ts';

const TOKEN = '0123456789abcdef';
const NOT_CHOSEN = { fleetletSocket: undefined, fleetletTcp: undefined, fleetletTokenFile: undefined };

async function stage(t: TestContext, config: Partial<EmbeddedFleetletDeps['config']> = {}, below = '') {
  const temporary = await mkdtemp(join(tmpdir(), 'fs-emb-'));
  t.after(() => rm(temporary, { recursive: true }));
  const end = new AcceptingEnd();
  const asked: AccessQuestion[] = [];
  const { log, lines } = memoryLogger();
  const tokenFile = join(temporary, 'tokens');
  await writeFile(tokenFile, `proxy ${TOKEN}\n`);
  const fleetlet = await openEmbeddedFleetlet({
    accept: end.acceptor.accept,
    access: {
      resolve: async (question) => {
        asked.push(question);
        return { facts: { kind: 'permissions', workspaces: ['/a'] }, maxAgeMs: 30_000, staleMs: 0 };
      },
    },
    folder: join(temporary, below),
    config: { ...NOT_CHOSEN, fleetletTokenFile: tokenFile, ...config },
    heartbeatMs: 5_000,
    log,
  });
  run(
    t,
    ({ signal }) => Promise.all(fleetlet.runnables.map((each) => each.run(signal))),
    () => fleetlet.close(),
  );
  return { fleetlet, end, asked, lines };
}

function run(
  t: TestContext,
  body: (over: AbortController) => Promise<unknown>,
  close = async (): Promise<void> => {},
): void {
  const over = new AbortController();
  const done = body(over);
  t.after(async () => {
    await close();
    over.abort();
    await done;
  });
}

function connected(t: TestContext, options: Parameters<typeof connectLocal>[0]): LocalClient {
  const client = connectLocal(options);
  run(t, ({ signal }) => client.run(signal));
  return client;
}

suite('the fleetlet within the platform', () => {
  test('an addon on its socket speaks with the platform', async (t) => {
    const { fleetlet, end } = await stage(t);
    assert.ok(fleetlet.socket !== undefined);
    const addon = connected(t, { to: { path: fleetlet.socket }, process: 'addon' });
    await addon
      .open({ name: 'capability' }, { message: () => {} })
      .send({ payload: Buffer.from('register') }, t.signal);
    await until(() => end.taken.some(({ channel, text }) => channel === 'capability' && text === 'register'));
  });

  test('an agent within the process speaks with the platform, and is known as that', async (t) => {
    const { fleetlet, end, lines } = await stage(t, { fleetletSocket: 'none' });
    const agent = fleetlet.connect('agent');
    run(t, ({ signal }) => agent.run(signal));
    await agent.open({ name: 'capability' }, { message: () => {} }).send({ payload: Buffer.from('well') }, t.signal);
    await until(() => end.taken.some(({ channel, text }) => channel === 'capability' && text === 'well'));
    assert.ok(lines.some(({ principal }) => principal === 'platform/agent'));
  });

  test('access is asked in process, each time', async (t) => {
    const { fleetlet, end, asked } = await stage(t, { fleetletTcp: { host: '127.0.0.1', port: 0 } });
    assert.ok(fleetlet.tcp !== undefined);
    const proxy = connected(t, { to: fleetlet.tcp, process: 'proxy', token: () => new Secret(TOKEN) });
    const answers: unknown[] = [];
    const access = proxy.open(
      { name: 'access' },
      {
        message: (message) => {
          answers.push(decodeAccessAnswer(message.payload)?.facts);
          message.ack();
        },
      },
    );
    const question = { kind: 'permissions', token: 't', permission: 'targets.read' } as const;
    for (const request of [1, 2]) await access.send({ payload: encodeAccessRequest({ request, question }) }, t.signal);
    await until(() => answers.length === 2);
    assert.deepEqual(answers[0], { kind: 'permissions', workspaces: ['/a'] });
    assert.deepEqual(asked, [question, question]);
    assert.ok(!end.opens.some(({ channel }) => channel === 'access'), 'nothing goes round by the hub');
  });

  test('whoever wants no socket has none', async (t) => {
    const { fleetlet } = await stage(t, { fleetletSocket: 'none' });
    assert.deepEqual([fleetlet.socket, fleetlet.tcp], [undefined, undefined]);
  });

  test('a folder that is too deep for a socket is no reason not to start', async (t) => {
    const { fleetlet, lines } = await stage(t, {}, 'x'.repeat(120));
    assert.equal(fleetlet.socket, undefined);
    assert.ok(lines.some(({ setting }) => setting === 'fleetlet-socket'));
  });
});
