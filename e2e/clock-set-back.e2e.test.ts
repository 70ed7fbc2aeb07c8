import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { DATABASES } from '#testing/databases';
import { deployGreeting, directoryEdge, holds, OVER_HTTPS } from './directory-edge.ts';
import { homeFor } from './home-for.ts';

const HOUR_MS = 3_600_000;

/** Loaded before the program: its clock is ahead of the machine's. */
const AHEAD = `
const ahead = ${HOUR_MS};
const Real = Date;
globalThis.Date = class extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + ahead);
    else super(...given);
  }
  static now() {
    return Real.now() + ahead;
  }
};
`;

for (const engine of DATABASES) {
  test(`an instance that is younger than the step by which its clock is set back starts, on ${engine}`, async (t) => {
    const home = await homeFor(t, engine);
    const first = home.spawn({ flags: OVER_HTTPS, nodeFlags: ['--import', await clockAhead(dirname(home.data))] });
    const ahead = await first.ready();
    assert.equal((await ahead.request('/v1/workspaces', { method: 'POST', body: { name: 'kept' } })).status, 201);
    assert.equal((await ahead.stop()).code, 0);

    const platform = await home.start({ flags: OVER_HTTPS });
    assert.match(platform.said(), /ahead of it.*clock of this machine is behind; starting all the same/);
    assert.equal((await platform.request('/v1/workspaces/kept')).status, 200);
    const edge = await directoryEdge(t, home, platform);
    await deployGreeting(platform, 'hello');
    await holds(edge, 'hello');
  });
}

async function clockAhead(folder: string): Promise<string> {
  const file = join(folder, 'clock-ahead.mjs');
  await writeFile(file, AHEAD);
  return file;
}
