import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PUBLISHED_WORKFLOWS } from '../apps/platform/durable/workflow-set.ts';
import { buildTemporalPackage } from './build-temporal-package.ts';
import { ROOT } from './repository.ts';

describe('the package of the engine for Temporal', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleetshift-temporal-package-'));
    await buildTemporalPackage(folder);
  });
  after(() => rm(folder, { recursive: true }));

  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  const json = async (name: string) => JSON.parse(await read(name)) as Record<string, unknown>;

  it('has the version of the platform, and the dependencies of the engine', async () => {
    const [manifest, main, engine] = await Promise.all([
      json('package.json'),
      readFile(join(ROOT, 'package.json'), 'utf8').then((text) => JSON.parse(text) as Record<string, unknown>),
      readFile(join(ROOT, 'kit/durable/temporal/package.json'), 'utf8').then(
        (text) => JSON.parse(text) as Record<string, unknown>,
      ),
    ]);
    assert.equal(manifest['name'], 'fleetshift-temporal');
    assert.equal(manifest['version'], main['version']);
    assert.deepEqual(manifest['dependencies'], engine['dependencies']);
    assert.equal('private' in manifest, false);
  });

  it('has a lockfile that npm heeds in a published package, with every version and hash', async () => {
    const lockfile = await json('npm-shrinkwrap.json');
    const packages = lockfile['packages'] as Record<string, { version?: string; integrity?: string }>;
    assert.deepEqual([lockfile['name'], packages['']?.version], ['fleetshift-temporal', lockfile['version']]);
    const locked = Object.entries(packages).filter(([path]) => path !== '');
    assert.ok(locked.length > 50);
    assert.deepEqual(
      locked.filter(([, { version, integrity }]) => version === undefined || integrity === undefined),
      [],
    );
  });

  it('has every workflow, and says whose work is in it', async () => {
    const names = PUBLISHED_WORKFLOWS.workflows.map(({ name }) => name);
    const { workflows } = (await import(join(folder, 'index.js'))) as { workflows: readonly string[] };
    assert.deepEqual(workflows, names);
    const code = await read('workflows.cjs');
    for (const name of names) assert.ok(code.includes(name), name);
    assert.match(await read('NOTICES'), /@temporalio\/workflow/);
  });

  it('has nothing of the machine that built it, and no place where packages come from', async () => {
    for (const name of await readdir(folder)) {
      const text = await read(name);
      const maps = [...text.matchAll(/base64,([\w+/=]{100,})/g)].map(([, map = '']) =>
        Buffer.from(map, 'base64').toString(),
      );
      for (const part of [text, ...maps]) {
        assert.ok(!part.includes(ROOT), `${name} has the path of the checkout`);
        assert.doesNotMatch(part, /"resolved"/, name);
      }
    }
  });
});
