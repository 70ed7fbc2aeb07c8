import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { LocalClient } from '#contexts/channels';
import { connectLocal } from '#contexts/channels/adapters';
import { type ServingPlatform, servingPlatform } from '../../../apps/platform/channels/testing/serving-platform.ts';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import { type FleetletHome, fleetletHome } from '../testing/fleetlet-process.ts';

let platform: ServingPlatform;

async function started(t: TestContext, flags: readonly string[] = []) {
  const home = await fleetletHome(t);
  const { token } = await platform.call<{ token: string }>('POST', '/v1/workspaces/root/bootstrap-tokens', {});
  const file = await home.write('token', token);
  const own = ['--platform', platform.api, '--insecure', '--bootstrap-token-file', file, '--log-level', 'debug'];
  const { says } = await home.start([...own, ...flags]);
  return { home, says };
}

function local(t: TestContext, { socket: path }: Pick<FleetletHome, 'socket'>, process: string): LocalClient {
  const client = connectLocal({ to: { path }, process });
  const over = new AbortController();
  const done = client.run(over.signal);
  t.after(async () => {
    over.abort();
    await done;
  });
  return client;
}

describe('data between local processes', () => {
  before(async () => {
    platform = await servingPlatform();
  });

  after(() => platform.stop());

  for (const { why, flags, way } of [
    { why: 'directly to one that listens', flags: ['--listen-direct', '127.0.0.1:0'], way: 'direct' },
    { why: 'through the platform to one that does not', flags: [], way: 'relay' },
  ]) {
    test(`data goes from one fleetlet to another, ${why}, and arrives as it was`, async (t) => {
      const [near, far] = await Promise.all([started(t), started(t, flags)]);
      const heard = { count: 0, hash: createHash('sha256'), from: new Set<string>() };
      const name = `data/${way}`;
      local(t, far.home, 'backend').open(
        { name, reads: true },
        {
          message: (message) => {
            heard.count += 1;
            heard.hash.update(message.payload);
            heard.from.add(message.process);
            message.ack();
          },
        },
      );
      const source = local(t, near.home, 'collector').open({ name }, { message: (message) => message.ack() });
      const parts = Array.from({ length: 40 }, (_, index) => randomBytes(index % 10 === 0 ? 300_000 : 2_000));
      for (const payload of parts) await source.send({ payload, key: 'one' }, t.signal);
      await eventually('all has come', async () => heard.count === parts.length);
      assert.equal(heard.hash.digest('hex'), createHash('sha256').update(Buffer.concat(parts)).digest('hex'));
      await near.says(new RegExp(`"subject":"${name}","name":"${way}"`));
      const { items } = await platform.call<{ items: { uid: string }[] }>('GET', '/v1/fleetlets');
      const [from] = heard.from;
      assert.equal(heard.from.size, 1);
      assert.ok(items.some(({ uid }) => uid === from));
    });
  }
});
