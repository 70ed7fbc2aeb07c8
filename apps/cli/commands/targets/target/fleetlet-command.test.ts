import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FLEETLET_SETTINGS, resolveFleetletConfig } from '#runtime/fleetlet/config';
import { splitArguments } from '../../../client/split-arguments.ts';
import { fleetletCommand } from './fleetlet-command.ts';

const token = 'fsb_aaaaaaaaaaaaaaaa_secret';

for (const { why, platform, targets, caFile, want } of [
  {
    why: 'a platform with a certificate that everybody trusts',
    platform: 'https://fleet.example/',
    targets: ['edge-1', 'edge-2'],
    want: '--platform https://fleet.example --target edge-1=directory,edge-2=directory',
  },
  {
    why: 'one with an authority of its own',
    platform: 'https://fleet.example:8701',
    targets: ['edge-1'],
    caFile: '/etc/our authority.crt',
    want: "--platform https://fleet.example:8701 --ca-file '/etc/our authority.crt' --target edge-1=directory",
  },
  {
    why: 'one on this machine, without TLS',
    platform: 'http://127.0.0.1:8700',
    targets: ['edge-1'],
    want: '--platform http://127.0.0.1:8700 --insecure --target edge-1=directory',
  },
  {
    why: 'targets whose names the machines choose',
    platform: 'https://fleet.example',
    targets: [],
    want: '--platform https://fleet.example --target NAME=directory',
  },
]) {
  test(why, () => {
    const line = fleetletCommand({ platform: new URL(platform), token, targets, type: 'directory', caFile });
    assert.equal(line, `FLEETSHIFT_BOOTSTRAP_TOKEN=${token} fleetshift fleetlet ${want}`);
  });
}

test('the fleetlet understands it', () => {
  const line = fleetletCommand({
    platform: new URL('https://fleet.example:8701'),
    token,
    targets: ['a', 'b'],
    type: 'directory',
    caFile: '/etc/ca.crt',
  });
  const [variable = '', , , ...args] = line.split(' ');
  const [name = '', value] = variable.split('=');
  const { flags } = splitArguments(FLEETLET_SETTINGS, args);
  const { values } = resolveFleetletConfig({ args: flags, environment: { [name]: value }, readText: () => '' });
  assert.equal(values.bootstrapToken?.reveal(), token);
  assert.deepEqual(values.target, [
    { name: 'a', type: 'directory' },
    { name: 'b', type: 'directory' },
  ]);
});
