import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findPublishedEngine } from './published-engine.ts';

describe('findPublishedEngine, where it is not installed', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'fleetshift-published-'));
    await mkdir(join(root, 'project'));
    await writeFile(join(root, 'project/package.json'), '{}');
  });
  after(() => rm(root, { recursive: true }));

  for (const { place, command } of [
    { place: 'project/node_modules/fleetshift', command: (folder: string) => `npm install --prefix ${folder}/project` },
    { place: 'lib/node_modules/fleetshift', command: () => 'npm install --global' },
    { place: 'opt/fleetshift', command: (folder: string) => `npm install --prefix ${folder}/opt/fleetshift` },
  ]) {
    it(`has the command that installs it beside ${place}`, async () => {
      const folder = join(root, place);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'package.json'), '{ "version": "1.2.3" }');
      const found = await findPublishedEngine(folder);
      assert.deepEqual(found, { install: `${command(root)} fleetshift-temporal@1.2.3` });
    });
  }
});
