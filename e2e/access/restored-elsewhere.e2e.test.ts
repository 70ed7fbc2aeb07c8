import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { followLogin } from '#testing/oidc/follow-login';
import { PATIENCE_MS } from '#testing/patience';
import type { Platform, PlatformHome } from '#testing/platform-process';
import { runCommand } from '../../apps/cli/testing/processes.ts';
import { homeFor } from '../home-for.ts';
import { ask } from './callers.ts';
import { usePlatform } from './used-platform.ts';

const ME = '/v1/access/identity';

describe('a backup of a platform in use', () => {
  for (const from of DATABASES) {
    const to = other(from);
    if (!DATABASES.includes(to)) continue;
    it(`taken on ${from}, restored on ${to}: everybody comes in as before, and the audit log is whole`, async (t) => {
      const home = await homeFor(t, from);
      const platform = await home.start();
      const { oidc, tokens } = await usePlatform(platform, home);
      t.after(() => oidc.close());
      const passphrase = join(home.data, '..', 'passphrase');
      await writeFile(passphrase, 'correct horse battery staple\n', { mode: 0o600 });
      const out = join(home.data, '..', 'backup');
      const head = await headOf(platform);
      await command(home, ['backup', '--out', out, '--passphrase-file', passphrase]);
      // Restored at the same address, because the issuer redirects browsers only to that one.
      const { host } = new URL(platform.url);
      await platform.stop();

      const elsewhere = await homeFor(t, to);
      await command(elsewhere, ['restore', out, '--passphrase-file', passphrase]);
      const verified = await command(elsewhere, ['audit', 'verify', '--expect-head', head]);
      assert.match(verified, /^intact: \d+ entries/);
      const restored = await elsewhere.start({ flags: ['--listen', host] });
      for (const [who, token] of Object.entries(tokens)) {
        assert.equal((await ask(restored, token, ME)).status, 200, who);
      }
      // The client secret was decrypted with the restored keys; otherwise the issuer would have refused the login.
      const page = await followLogin(`${restored.url}/v1/login/corp`, AbortSignal.timeout(PATIENCE_MS));
      assert.equal(page.url.search, '?outcome=done', page.text);
      const answer = await restored.request('/v1/audit:verify', { method: 'POST', body: {} });
      assert.partialDeepStrictEqual(await answer.json(), { intact: true, faults: [] });
    });
  }
});

function other(engine: Engine): Engine {
  return engine === 'sqlite' ? 'postgres' : 'sqlite';
}

async function command({ data, database }: PlatformHome, args: readonly string[]): Promise<string> {
  const { code, out, err } = await runCommand([...args, '--data', data], { FLEETSHIFT_DATABASE: database });
  assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
  return out;
}

/** The hash that the audit chain must pass through, on either database. */
async function headOf(platform: Platform): Promise<string> {
  const answer = await platform.request('/v1/audit:verify', { method: 'POST', body: {} });
  const { head } = (await answer.json()) as { head: { position: number; hash: string } };
  assert.ok(head.position > 5);
  return `${head.position}:${head.hash}`;
}
