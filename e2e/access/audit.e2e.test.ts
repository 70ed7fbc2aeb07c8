import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Statement, sql } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import type { Platform, PlatformHome } from '#testing/platform-process';
import { type Ended, runCommand } from '../../apps/cli/testing/processes.ts';
import { homeFor } from '../home-for.ts';
import { addCaller, ask, made, STAFF } from './callers.ts';
import { withStorage } from './stored.ts';

for (const engine of DATABASES) {
  describe(`the audit log of a used platform, on ${engine}`, () => {
    it('is intact, tells of what was refused, and tells what was done to it', async (t) => {
      const home = await homeFor(t, engine);
      const platform = await home.start();
      await useIt(platform);
      const verified = await verification(platform);
      assert.partialDeepStrictEqual(verified, { intact: true, faults: [] });
      await platform.stop();

      const intact = await verifyHere(home);
      assert.equal(intact.code, 0, intact.err);
      assert.match(intact.out, /^intact: \d+ entries/);
      const head = /^head (\S+)$/m.exec(intact.out)?.[1] ?? assert.fail(intact.out);

      const done: string[] = [];
      for (const { how, statements, says } of TAMPERINGS) {
        await withStorage(home, (storage) => storage.commit(statements, AbortSignal.timeout(PATIENCE_MS)));
        const { code, out } = await verifyHere(home, '--expect-head', head);
        done.push(says);
        assert.equal(code, 1, how);
        assert.deepEqual(out.split('\n').slice(0, done.length), done, how);
      }

      const again = await home.start();
      const { intact: still, faults } = await verification(again);
      assert.equal(still, false);
      assert.deepEqual(
        faults.map(({ kind, position }) => [kind, position]),
        [
          ['changed', 3],
          ['missing', 5],
          ['swapped', 7],
        ],
      );
    });

    it('has every attempt that was refused, by whom and on what', async (t) => {
      const home = await homeFor(t, engine);
      const first = await home.start();
      await useIt(first);
      await first.stop();
      const platform = await home.start();
      await verification(platform);
      for (const { outcome, operation, resource, who } of [
        { outcome: 'denied', operation: 'patchWorkspace', resource: '/v1/workspaces/own', who: `${STAFF}/looker` },
        { outcome: 'hidden', operation: 'deleteWorkspace', resource: '/v1/workspaces/foreign', who: `${STAFF}/looker` },
        { outcome: 'unauthenticated', operation: 'listIssuers', resource: '/v1/issuers', who: undefined },
      ]) {
        const page = await platform.request(`/v1/audit?outcome=${outcome}&resource=${resource}`);
        const { items } = (await page.json()) as { items: { operation: string; principal?: { id: string } }[] };
        assert.deepEqual(
          items.map(({ operation: tried, principal }) => [tried, principal?.id]),
          [[operation, who]],
          outcome,
        );
      }
    });

    it('has the details of what was refused under load, whatever happens to the process after its answer', async (t) => {
      const home = await homeFor(t, engine);
      const first = await home.start();
      for (const name of [STAFF, 'own', 'foreign']) await made(first, '/v1/workspaces', { name });
      const given = [{ role: 'viewer', on: 'workspaces/own' }] as const;
      const [loud, quiet] = [
        await addCaller(first, { name: 'loud', given }),
        await addCaller(first, { name: 'quiet', given }),
      ];
      const patch = { method: 'PATCH', body: { displayName: 'x' } };
      const probe = (nth: number) => ask(first, loud.token, `/v1/workspaces/guess-${nth}`);
      const flood = Array.from({ length: FLOOD }, async (_, nth) => (await probe(nth)).status);
      const denied = await ask(first, quiet.token, '/v1/workspaces/own', patch);
      const hidden = await ask(first, quiet.token, '/v1/workspaces/foreign', patch);
      assert.deepEqual([denied.status, hidden.status], [403, 404]);
      assert.deepEqual([...new Set(await Promise.all(flood))], [404]);
      await first.kill();

      const platform = await home.start();
      await verification(platform);
      const page = await platform.request(`/v1/audit?principal=serviceAccount:${STAFF}/quiet`);
      const { items } = (await page.json()) as { items: { operation: string; outcome: string; resource: string }[] };
      assert.deepEqual(
        items.map(({ operation, outcome, resource }) => `${operation} ${outcome} ${resource}`).toSorted(),
        ['patchWorkspace denied /v1/workspaces/own', 'patchWorkspace hidden /v1/workspaces/foreign'],
      );
      const probes = await platform.request(`/v1/audit?principal=serviceAccount:${STAFF}/loud&pageSize=100`);
      const kinds = ((await probes.json()) as { items: { operation: string }[] }).items.map(
        ({ operation }) => operation,
      );
      assert.deepEqual([...new Set(kinds)].toSorted(), ['getWorkspace', 'several'], 'a flood is recorded in its name');
    });
  });
}

/** More kinds than a process keeps apart in a minute. */
const FLOOD = 150;

const TAMPERINGS: readonly { how: string; statements: readonly Statement[]; says: string }[] = [
  {
    how: 'changed',
    statements: [sql`UPDATE audit_log SET address = 'elsewhere' WHERE position = 3`],
    says: 'position 3: the entry was changed',
  },
  { how: 'missing', statements: [sql`DELETE FROM audit_log WHERE position = 5`], says: 'position 5 is missing' },
  {
    how: 'swapped',
    statements: [
      sql`UPDATE audit_log SET position = 1000000 WHERE position = 7`,
      sql`UPDATE audit_log SET position = 7 WHERE position = 8`,
      sql`UPDATE audit_log SET position = 8 WHERE position = 1000000`,
    ],
    says: 'positions 7 and 8: the entries were swapped',
  },
];

/** A mix of successful changes and attempts refused in each way. */
async function useIt(platform: Platform): Promise<void> {
  for (const name of [STAFF, 'own', 'foreign']) await made(platform, '/v1/workspaces', { name });
  const { token } = await addCaller(platform, { name: 'looker', given: [{ role: 'viewer', on: 'workspaces/own' }] });
  for (const name of ['one', 'two']) await made(platform, '/v1/targets', { name, type: 'directory', workspace: 'own' });
  await platform.request('/v1/targets/one:assign', { method: 'POST', body: { workspace: 'foreign' } });
  await platform.request('/v1/targets/two', { method: 'DELETE' });
  const patch = { method: 'PATCH', body: { displayName: 'Mine now' } };
  assert.equal((await ask(platform, token, '/v1/workspaces/own', patch)).status, 403);
  assert.equal((await ask(platform, token, '/v1/workspaces/foreign', { method: 'DELETE' })).status, 404);
  assert.equal((await ask(platform, 'fst_aaaaaaaaaaaaaaaa_wrong', '/v1/issuers')).status, 401);
}

interface Verification {
  readonly intact: boolean;
  readonly pending: number;
  readonly faults: readonly { readonly kind: string; readonly position: number }[];
}

/** Verifies the audit log over the API, once every pending entry has its place in the chain. */
async function verification(platform: Platform): Promise<Verification> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  for (;;) {
    const answer = await platform.request('/v1/audit:verify', { method: 'POST', body: {}, signal });
    const verified = (await answer.json()) as Verification;
    if (verified.pending === 0) return verified;
  }
}

/** Runs the CLI command, which reads the database directly. */
function verifyHere({ data, database }: PlatformHome, ...flags: string[]): Promise<Ended> {
  return runCommand(['audit', 'verify', '--data', data, ...flags], { FLEETSHIFT_DATABASE: database });
}
