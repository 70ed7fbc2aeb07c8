import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { aMachine } from '../../contexts/enrolment/testing/a-machine.ts';
import { EXIT } from './command.ts';
import { adminToken, type RunningPlatform, runCommand, startPlatform } from './testing/processes.ts';

describe('fleetshift target enroll', () => {
  let data: string;
  let platform: RunningPlatform;
  let http: string;
  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'fleetshift-enroll-'));
    platform = await startPlatform('product', data, adminToken(data));
    [http] = platform.addresses;
  });
  after(async () => {
    await platform.stop();
    await rm(data, { recursive: true, force: true });
  });

  const run = (...args: string[]) => runCommand([...args, '--server', http, '--data', data]);
  const succeeds = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await run(...args);
    assert.equal(code, EXIT.ok, `${args.join(' ')}: ${out}${err}`);
    return out;
  };
  const enroll = async (token: string, name: string) => {
    const body = JSON.stringify({ token, csr: aMachine().csr, targets: [{ name, type: 'directory' }] });
    const headers = { 'content-type': 'application/json' };
    return await fetch(`${http}/v1/enroll`, { method: 'POST', headers, body });
  };

  it('prints the command that a machine enrols with, and everything about who has', async () => {
    const line = await succeeds('target', 'enroll', 'edge-1', '-w', 'root', '--name', 'first', '--ttl', '2h');
    const [, token = ''] = /^FLEETSHIFT_BOOTSTRAP_TOKEN=(\S+) fleetshift fleetlet /.exec(line) ?? [];
    assert.ok(line.endsWith(` --platform ${http} --insecure --target edge-1=directory\n`), line);
    assert.match(await succeeds('get', 'bootstrap-tokens', '-w', 'root'), /^first +root +active +0\/1 .* edge-1$/m);
    assert.equal((await enroll(token, 'edge-1')).status, 200);
    assert.match(await succeeds('get', 'bootstrap-tokens', '-w', 'root'), /^first +root +consumed +1\/1 /m);
    assert.match(await succeeds('get', 'fleetlets'), /^edge-1 +root +Active +edge-1 /m);
    assert.match(await succeeds('get', 'fleetlets'), /^platform +root +Active +- +-$/m);
    assert.match(await succeeds('describe', 'fleetlet', 'edge-1'), /^Serial|serial/m);
  });

  it('says the same to programs', async () => {
    const made = JSON.parse(await succeeds('target', 'enroll', 'edge-2', '-w', 'root', '--uses', '3', '-o', 'json'));
    assert.partialDeepStrictEqual(made, { workspace: 'root', uses: 3, targets: ['edge-2'], targetType: 'directory' });
    assert.ok(made.command.includes(made.token));
    const dry = await run('target', 'enroll', 'edge-2', '-w', 'root', '--dry-run');
    assert.deepEqual([dry.code, dry.out], [EXIT.ok, '']);
    await succeeds('delete', 'bootstrap-token', made.name, '-w', 'root');
    assert.equal((await enroll(made.token, 'edge-2')).status, 401);
  });

  it('binds, unbinds and revokes fleetlets', async () => {
    const { token } = JSON.parse(await succeeds('target', 'enroll', 'edge-3', '-w', 'root', '-o', 'json'));
    assert.equal((await enroll(token, 'edge-3')).status, 200);
    assert.match(
      await succeeds('fleetlet', 'bind', 'platform', 'edge-3'),
      /^fleetlet\/platform bound to target\/edge-3$/m,
    );
    await succeeds('fleetlet', 'unbind', 'platform', 'edge-3');
    const unsure = await run('fleetlet', 'revoke', 'edge-3');
    assert.deepEqual([unsure.code, unsure.out], [EXIT.usage, ''], 'nobody is here to agree');
    assert.equal(await succeeds('fleetlet', 'revoke', 'edge-3', '--yes'), 'fleetlet/edge-3 revoked\n');
    assert.match(await succeeds('get', 'fleetlet', 'edge-3'), /Revoked/);
    assert.equal((await run('fleetlet', 'revoke', 'nobody', '--yes')).code, EXIT.notFound);
    await succeeds('delete', 'fleetlet', 'edge-3');
  });

  it('cordons by the same word', async () => {
    await succeeds('target', 'cordon', 'edge-1');
    assert.match(await succeeds('get', 'targets', 'edge-1'), /Cordoned/);
    await succeeds('target', 'uncordon', 'edge-1');
  });
});

describe('fleetshift authority', () => {
  it('shows and rotates', async (t) => {
    const data = await mkdtemp(join(tmpdir(), 'fleetshift-authority-'));
    t.after(() => rm(data, { recursive: true, force: true }));
    const platform = await startPlatform('product', data, adminToken(data));
    t.after(() => platform.stop());
    const run = (...args: string[]) =>
      runCommand(['authority', ...args, '--server', platform.addresses[0], '--data', data]);
    assert.match((await run('show')).out, /^FleetShift fleetlets \w+ +Issuing /m);
    assert.match((await run('show', '-o', 'pem')).out, /^-----BEGIN CERTIFICATE-----/);
    assert.equal((await run('rotate')).code, EXIT.usage, 'nobody is here to agree');
    assert.match((await run('rotate', '--yes', '--lead', '1h')).out, /Issuing [^]* Next /);
    assert.equal((await run('rotate', '--yes')).code, EXIT.conflict);
    assert.equal((await run('turn')).code, EXIT.usage);
  });
});
