import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { earlierPackage } from '#testing/earlier-package';
import { type PlatformHome, platformHome } from '#testing/platform-process';
import { SIMULATED } from '#testing/product';
import { UNWRITTEN, writeEverywhere } from './write-everywhere.ts';
import { createSchema, writtenTables } from './written-tables.ts';

const earlier = await earlierPackage(console.error);
const NO_PACKAGE = 'the commit of the previous release is not in this clone';
const FLAGS = ['--rate-limit', '1000000', '--fleetlet-listen', '127.0.0.1:0'];

for (const engine of DATABASES) describeRelease(engine);

function describeRelease(engine: Engine): void {
  describe(`the previous release on the ${engine} tables of this version`, {
    skip: earlier ? false : NO_PACKAGE,
  }, () => {
    const program = pathToFileURL(join(earlier ?? '', 'serve-simulated.js'));
    const ends: (() => Promise<void>)[] = [];
    let home: PlatformHome;
    before(async () => {
      home = await platformHome(engine);
      await createSchema(home);
      const platform = await home.start({ program, flags: FLAGS });
      await writeEverywhere(platform, home, (close) => ends.push(close));
      const { code, said } = await platform.stop();
      assert.equal(code, 0, said);
    });
    after(async () => {
      await Promise.all(ends.map((close) => close()));
      await home.dispose();
    });

    it('starts, and writes to each of its tables', async () => {
      const itsOwn = await tablesOf(program);
      const written = await writtenTables(home);
      const empty = [...written].filter(([name, isWritten]) => itsOwn.has(name) && !isWritten).map(([name]) => name);
      assert.deepEqual(empty.filter((name) => UNWRITTEN[name] === undefined).sort(), []);
      assert.deepEqual(
        [...itsOwn].filter((name) => !written.has(name)),
        [],
        'none of its tables is gone',
      );
    });

    it('leaves what this version reads on', async () => {
      const platform = await home.start({ program: pathToFileURL(SIMULATED), flags: FLAGS });
      const verified = await platform.request('/v1/audit:verify', { method: 'POST', body: {} });
      assert.partialDeepStrictEqual(await verified.json(), { intact: true, faults: [] });
      const { items } = (await (await platform.request('/v1/deployments?pageSize=100')).json()) as {
        items: { name: string }[];
      };
      assert.ok(items.some(({ name }) => name === 'group-child'));
    });
  });
}

/** The tables that the release creates by itself. */
async function tablesOf(program: URL): Promise<ReadonlySet<string>> {
  const home = await platformHome('sqlite');
  try {
    await (await home.start({ program, flags: FLAGS })).stop();
    return new Set((await writtenTables(home)).keys());
  } finally {
    await home.dispose();
  }
}
