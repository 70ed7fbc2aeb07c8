import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import type { Platform, PlatformHome } from '#testing/platform-process';
import { runCommand } from '../apps/cli/testing/processes.ts';
import { eventually } from '../kit/durable/testing/eventually.ts';
import { deployGreeting, directoryEdge, holds, isConnected, OVER_HTTPS } from './directory-edge.ts';
import { homeFor } from './home-for.ts';

describe('a platform that was restored from a backup', () => {
  for (const engine of DATABASES) {
    it(`on ${engine}: leaves the fleet alone until it is accepted, then holds what is ahead, and the original is refused`, async (t) => {
      const home = await homeFor(t, engine);
      const platform = await home.start({ flags: OVER_HTTPS });
      const edge = await directoryEdge(t, home, platform);
      await deployGreeting(platform, 'one');
      await holds(edge, 'one');
      const passphrase = join(home.data, '..', 'passphrase');
      await writeFile(passphrase, 'correct horse battery staple\n', { mode: 0o600 });
      const out = join(home.data, '..', 'backup');
      await command(home, ['backup', '--out', out, '--passphrase-file', passphrase]);
      await greet(platform, 'two');
      await holds(edge, 'two');
      await platform.stop();

      // The copy has the addresses of the original, so that the fleetlet comes to it.
      const copy = await homeFor(t, engine);
      await command(copy, ['restore', out, '--passphrase-file', passphrase]);
      const places = ['--listen', new URL(platform.url).host, '--tls-listen', new URL(platform.tlsUrl).host];
      const restored = await copy.start({ flags: [...OVER_HTTPS, ...places] });
      const held = await instanceOf(restored);
      assert.equal(held.state, 'Held');
      assert.match(restored.said(), /restored from a backup and held/);
      const ready = await restored.request('/readyz');
      assert.deepEqual([ready.status, ((await ready.json()) as { status: string }).status], [200, 'degraded']);
      const refused = await restored.request('/v1/workspaces', { method: 'POST', body: { name: 'new' } });
      assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [409, 'instanceHeld']);
      const metrics = await (await restored.request('/metrics')).text();
      assert.doesNotMatch(metrics, /^fleetshift_leadership\{.*\} 1$/m, 'it leads for nothing');
      await edge.fleetlet.says(/restored from a backup/);

      await command(copy, ['restore', 'accept', '--server', restored.url]);
      assert.equal((await instanceOf(restored)).state, 'Active');
      await eventually('the target is ahead', async () => (await conflictOf(restored)) === 'RevisionAhead');
      await holds(edge, 'two');
      await greet(restored, 'three');
      const accept = await restored.request(`${GREETING}:acceptRevision`, { method: 'POST' });
      assert.equal(accept.status, 200, await accept.text());
      await holds(edge, 'three');
      const again = await restored.request('/v1/instance:acceptRestore', { method: 'POST', body: {} });
      assert.deepEqual([again.status, ((await again.json()) as { code: string }).code], [409, 'nothingHeld']);
      await restored.stop();

      const original = await home.start({ flags: [...OVER_HTTPS, ...places] });
      await isConnected(original);
      await greet(original, 'four');
      await eventually('the agent refuses the original', async () =>
        /obeys incarnation/.test(await failureOf(original)),
      );
      await holds(edge, 'three');
      await original.stop();
    });
  }
});

const GREETING = '/v1/workspaces/root/deployments/greeting';

async function greet(platform: Platform, content: string): Promise<void> {
  const template = `apiVersion: directory.fleetshift.io/v1\nkind: File\npath: greeting\ncontent: ${content}\n`;
  const body = { manifest: { type: 'template', template } };
  const answer = await platform.request(GREETING, { method: 'PATCH', body });
  assert.equal(answer.status, 200, await answer.text());
}

async function failureOf(platform: Platform): Promise<string> {
  const { items } = (await (await platform.request(`${GREETING}/targets`)).json()) as {
    readonly items: readonly { readonly failure?: { readonly message: string } }[];
  };
  return items[0]?.failure?.message ?? '';
}

async function instanceOf(platform: Platform): Promise<{ readonly state: string }> {
  return (await (await platform.request('/v1/instance')).json()) as { state: string };
}

interface Conditions {
  readonly conditions: readonly { readonly type: string; readonly reason: string }[];
}

async function conflictOf(platform: Platform): Promise<string | undefined> {
  const { conditions } = (await (await platform.request(GREETING)).json()) as Conditions;
  return conditions.find(({ type }) => type === 'Conflict')?.reason;
}

async function command({ data, database }: PlatformHome, args: readonly string[]): Promise<string> {
  const { code, out, err } = await runCommand([...args, '--data', data], { FLEETSHIFT_DATABASE: database });
  assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
  return out;
}
