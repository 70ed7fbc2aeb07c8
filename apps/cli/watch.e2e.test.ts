import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { EXIT } from './command.ts';
import { runCommand, startCommand, startPlatform } from './testing/processes.ts';

test('a watch tells what others do, and ends when it is stopped', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-watch-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const platform = await startPlatform('product', join(folder, 'data'), ['--insecure-dev-auth']);
  t.after(() => platform.stop());
  const environment = { FLEETSHIFT_SERVER: platform.addresses[0], FLEETSHIFT_CONFIG: join(folder, 'config.yaml') };
  const run = async (...args: string[]): Promise<void> => {
    const ended = await runCommand(args, environment);
    assert.equal(ended.code, EXIT.ok, ended.err);
  };
  const file = join(folder, 'web.yaml');
  await writeFile(file, 'kind: Workspace\nname: web\nspec: { labels: { env: prod } }\n');

  const args = ['get', 'workspaces', '--watch', '-l', 'env=prod', '-o', 'json'];
  const child = startCommand(args, environment);
  child.stderr.pipe(process.stderr);
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value } = (await lines.next()) as { value?: string };
    const { type, object } = JSON.parse(value ?? '') as { type: string; object: { name: string; labels: object } };
    return `${type} ${object.name} ${JSON.stringify(object.labels)}`;
  };

  await run('apply', '-f', file);
  assert.equal(await next(), 'ADDED web {"env":"prod"}');
  await run('label', 'workspace', 'web', 'tier=a');
  assert.equal(await next(), 'MODIFIED web {"env":"prod","tier":"a"}');
  await run('label', 'workspace/web', 'env-');
  assert.equal(await next(), 'REMOVED web {"tier":"a"}');
  child.kill('SIGINT');
  assert.deepEqual(await exited, [EXIT.interrupted, null]);
});

test('events tell what happened and what happens, of the kind that is wanted', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-events-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const platform = await startPlatform('product', join(folder, 'data'), ['--insecure-dev-auth']);
  t.after(() => platform.stop());
  const environment = { FLEETSHIFT_SERVER: platform.addresses[0], FLEETSHIFT_CONFIG: join(folder, 'config.yaml') };
  const make = async (name: string): Promise<void> => {
    const file = join(folder, `${name}.yaml`);
    await writeFile(file, `kind: Workspace\nname: ${name}\n`);
    const ended = await runCommand(['apply', '-f', file], environment);
    assert.equal(ended.code, EXIT.ok, ended.err);
  };
  await make('before');

  const args = [
    'events',
    '--from-beginning',
    '--type',
    'workspace.created',
    '--filter',
    'subject != "workspaces/root"',
  ];
  const child = startCommand(args, environment);
  child.stderr.pipe(process.stderr);
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);

  assert.match(await next(), /^\d{4}-\d\d-\d\dT\S+Z {2}workspace\.created {2}workspaces\/before/);
  await make('after');
  assert.match(await next(), /workspaces\/after/);
  child.kill('SIGINT');
  assert.deepEqual(await exited, [EXIT.interrupted, null]);
});
