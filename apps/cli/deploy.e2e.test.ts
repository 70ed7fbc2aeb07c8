import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { EXIT } from './command.ts';
import { type Ended, type RunningPlatform, runCommand, startPlatform } from './testing/processes.ts';

let folder: string;
let platform: RunningPlatform;

async function run(command: string, ...args: string[]): Promise<Ended> {
  const environment = { FLEETSHIFT_SERVER: platform.addresses[0], FLEETSHIFT_CONFIG: join(folder, 'config.yaml') };
  return await runCommand([command, ...args, ...(command === 'apply' ? [] : ['-w', 'demo'])], environment);
}

async function written(name: string, content: object): Promise<string> {
  const file = join(folder, `${name}.json`);
  await writeFile(file, JSON.stringify(content));
  return file;
}

function document(name: string, rollout: object): object {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
  const spec = { manifest: { type: 'inline', documents: [config] }, placement: [{ type: 'all' }], rollout };
  return { kind: 'Deployment', name, workspace: 'demo', spec };
}

const CANARY = { name: 'canary', selector: { matchLabels: { env: 'dev' } } };

describe('fleetshift deploy', () => {
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleetshift-deploy-'));
    platform = await startPlatform('product', join(folder, 'data'), ['--insecure-dev-auth', '--demo-fleet', '3']);
    await eventually('the demo', async () => (await run('get', 'deployments')).out.includes('hello'));
  });

  after(async () => {
    await platform.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('watching ends at an approval gate, and where it was rejected it says by whom and why', async () => {
    const rollout = { type: 'staged', stages: [{ ...CANARY, beforeTasks: [{ type: 'approval' }] }] };
    const file = await written('gated', document('gated', rollout));
    const atGate = await run('deploy', '-f', file, '--watch');
    assert.equal(atGate.code, EXIT.waiting, atGate.out);
    assert.match(atGate.out, /waiting for the gate canary\/before\/0\/1 .*fleetshift rollout approve gated -w demo/);
    assert.match(atGate.err, /revision 1 of gated waits for an approval/);
    const why = await run('rollout', 'reject', 'gated');
    assert.deepEqual([why.code, why.err], [EXIT.usage, 'fleetshift rollout: a rejection requires --message\n']);
    assert.equal((await run('rollout', 'reject', 'gated', '--message', 'not on a Friday')).code, EXIT.ok);
    const { code, out, err } = await run('deploy', '-f', file, '--watch');
    assert.equal(code, EXIT.failure, out);
    assert.match(err, /revision 1 of gated is paused \(GateRejected: .* rejected it: not on a Friday\)/);

    // A late answer refers to a gate that is no longer open.
    assert.equal((await run('rollout', 'approve', 'gated')).code, EXIT.conflict);
    assert.equal((await run('rollout', 'abort', 'gated')).code, EXIT.usage);
    const aborted = await run('rollout', 'abort', 'gated', '--yes', '-o', 'name');
    assert.deepEqual([aborted.code, aborted.out], [EXIT.ok, 'deployment/gated\n']);
    const ended = await run('rollout', 'status', 'gated', '--watch');
    assert.equal(ended.code, EXIT.failure);
    assert.match(ended.err, /^revision 1 of gated: Aborted/);
  });

  test('a diff tells by its exit code whether something differs', async () => {
    const config = (name: string, level: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: { level },
    });
    const whole = (documents: readonly object[]) => ({
      kind: 'Deployment',
      name: 'differs',
      workspace: 'demo',
      spec: { manifest: { type: 'inline', documents }, placement: [{ type: 'all' }] },
    });
    const file = await written('differs', whole([config('a', '1'), config('b', '1')]));
    assert.equal((await run('diff', '-f', file, '--exit-code')).code, EXIT.failure);
    assert.equal((await run('deploy', '-f', file, '--watch')).code, EXIT.ok);
    const moved = await written('moved', whole([config('b', '1'), config('a', '1')]));
    const same = await run('diff', '-f', moved, '--exit-code');
    assert.deepEqual([same.code, same.out], [EXIT.ok, '']);
    const other = await written('other', whole([config('c', '1'), config('b', '1'), config('a', '2')]));
    const differs = await run('diff', '-f', other, '--exit-code');
    assert.equal(differs.code, EXIT.failure);
    assert.match(differs.out, /^objects: 1 added, 1 changed$/m);
    assert.match(differs.out, /^~ ConfigMap\/a\n {2}~ \/data\/level: "1" -> "2"\n\+ ConfigMap\/c$/m);
    assert.equal((await run('diff', '-f', other)).code, EXIT.ok);
    assert.equal((await run('diff', 'nowhere', '--exit-code')).code, EXIT.usage);
  });

  test('a paused deployment begins nothing until it is resumed, and is followed all the while', async () => {
    const { spec, ...rest } = document('paused', { type: 'immediate' }) as { readonly spec: object };
    const file = await written('paused', { ...rest, spec: { ...spec, rolloutState: 'paused' } });
    assert.equal((await run('apply', '-f', file)).out, 'deployment/paused created\n');
    const state = async (): Promise<string> => (await run('get', 'deployment', 'paused')).out;
    await eventually('the pause', async () => (await state()).includes('Paused (PausedByUser)'));
    const followed = run('rollout', 'status', 'paused', '--watch', '-o', 'json');
    assert.equal((await run('rollout', 'resume', 'paused', '--dry-run')).out, 'deployment/paused resumed (dry run)\n');
    assert.equal((await run('rollout', 'resume', 'paused')).code, EXIT.ok);
    const { code, out } = await followed;
    assert.equal(code, EXIT.ok, out);
    const last = JSON.parse(out.trim().split('\n').at(-1) ?? '') as { status: { rollout: { outcome: string } } };
    assert.equal(last.status.rollout.outcome, 'Succeeded');
  });

  for (const { why, args, code, says } of [
    {
      why: 'a new one needs something to deliver',
      args: ['deploy', 'new', '--to-all'],
      code: EXIT.usage,
      says: /--file/,
    },
    { why: 'one that is not there', args: ['rollout', 'status', 'nowhere'], code: EXIT.notFound, says: /nowhere/ },
    {
      why: 'nothing is held',
      args: ['rollout', 'confirm-removal', 'hello', '--yes'],
      code: EXIT.conflict,
      says: /no removal/,
    },
    {
      why: 'nothing to go back to',
      args: ['rollout', 'rollback', 'hello', '--yes'],
      code: EXIT.conflict,
      says: /--to/,
    },
    {
      why: 'only what is being deleted can be abandoned',
      args: ['rollout', 'abandon', 'hello', '--yes'],
      code: EXIT.conflict,
      says: /Delete it first/,
    },
    {
      why: 'a target that it has nothing to do with',
      args: ['rollout', 'retry', 'hello', 'nowhere'],
      code: EXIT.usage,
      says: /nowhere/,
    },
    {
      why: 'a verb that there is not',
      args: ['rollout', 'stauts', 'hello'],
      code: EXIT.usage,
      says: /did you mean status\?/,
    },
  ]) {
    test(`refused: ${why}`, async () => {
      const [command = '', ...rest] = args;
      const ended = await run(command, ...rest);
      assert.deepEqual([ended.code, ended.out], [code, '']);
      assert.match(ended.err, says);
    });
  }
});
