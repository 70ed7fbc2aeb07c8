import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXIT } from '../command.ts';
import { runCommand, startPlatform } from '../testing/processes.ts';

test('what is indexed is applied, shown and deleted: for all targets, and for those of a workspace', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-index-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const platform = await startPlatform('product', join(folder, 'data'), ['--insecure-dev-auth']);
  t.after(() => platform.stop());
  const environment = { FLEETSHIFT_SERVER: platform.addresses[0], FLEETSHIFT_CONFIG: join(folder, 'config.yaml') };
  const run = async (...args: string[]): Promise<string> => {
    const ended = await runCommand(args, environment);
    assert.equal(ended.code, EXIT.ok, ended.err);
    return ended.out;
  };
  const file = join(folder, 'all.yaml');
  const spec = (type: string) => `spec: { targetType: kubernetes, kinds: [{ type: ${type} }] }`;
  await writeFile(
    file,
    [
      `kind: IndexSchema\nname: things\nworkspace: shop\n${spec('shop.test/v1/Thing')}`,
      `kind: IndexSchema\nname: configs\nworkspace: root\n${spec('v1/ConfigMap')}`,
      'kind: Workspace\nname: shop\nspec: {}',
      'kind: Target\nname: one\nworkspace: shop\nspec: { type: kubernetes }',
    ].join('\n---\n'),
  );
  assert.match(await run('apply', '-f', file), /indexschema\/things created/);
  assert.match(await run('apply', '-f', file), /indexschema\/things unchanged/);
  assert.match(await run('get', 'index-schemas'), /configs +root +kubernetes +v1\/ConfigMap/);
  assert.match(await run('get', 'index-schemas', '-w', 'shop'), /things +shop +kubernetes +shop.test\/v1\/Thing/);
  await run('get', 'indexed', '--target', 'one');
  await run('delete', 'index-schema', 'things', '-w', 'shop');
  assert.doesNotMatch(await run('get', 'index-schemas', '-w', 'shop'), /things/);
});
