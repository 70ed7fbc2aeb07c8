import assert from 'node:assert/strict';
import { resolve as absolute } from 'node:path';
import { suite, test } from 'node:test';
import { ConfigError } from '#kit/config';
import { resolveDirectoryAgentConfig } from './config.ts';

function resolve(args: readonly string[], environment: Record<string, string> = {}) {
  return resolveDirectoryAgentConfig({ args, environment, readText: () => '' }).values;
}

const GOOD = ['--target', 'web-1=/srv/web'];
const TCP = [...GOOD, '--fleetlet', '127.0.0.1:9090', '--token-file', 't'];

suite('settings of the directory agent', () => {
  test('a target and its folder are all that is needed', () => {
    const { target, allowCommands, stopWithStdin, lookEvery } = resolve(GOOD);
    assert.deepEqual(target, [{ name: 'web-1', folder: '/srv/web' }]);
    assert.deepEqual([allowCommands, stopWithStdin, lookEvery], [false, false, 30_000]);
  });

  test('the credentials of the client in the same shell are not shown to a fleetlet', () => {
    const { tokenFile, caFile } = resolve(GOOD, { FLEETSHIFT_TOKEN_FILE: 'admin', FLEETSHIFT_CA_FILE: 'ca' });
    assert.deepEqual([tokenFile, caFile], [undefined, undefined]);
    assert.equal(resolve(GOOD, { FLEETSHIFT_FLEETLET_TOKEN_FILE: 't' }).tokenFile, 't');
  });

  test('a folder is meant from where the process is, and may have an equals sign', () => {
    const { target } = resolve(['--target', 'a=x,b=/srv/k=v']);
    assert.deepEqual(target, [
      { name: 'a', folder: absolute('x') },
      { name: 'b', folder: '/srv/k=v' },
    ]);
  });

  for (const { why, args } of [
    { why: 'the fleetlet on loopback, in the clear', args: TCP },
    {
      why: 'the fleetlet elsewhere, with its authority',
      args: [...GOOD, '--fleetlet', 'edge.example:9090', '--token-file', 't', '--ca-file', 'c'],
    },
    { why: 'no target, when only the settings are asked for', args: ['--print-config'] },
  ]) {
    test(`taken: ${why}`, () => assert.ok(resolve(args)));
  }

  for (const { why, args, faults } of [
    { why: 'no target', args: [], faults: ['/target'] },
    { why: 'a target without a folder', args: ['--target', 'web-1='], faults: ['/target'] },
    { why: 'a folder without a target', args: ['--target', '=/srv/web'], faults: ['/target'] },
    { why: 'a target alone', args: ['--target', 'web-1'], faults: ['/target'] },
    { why: 'a target twice', args: ['--target', 'a=/srv/1,a=/srv/2'], faults: ['/target'] },
    { why: 'a folder of two targets', args: ['--target', 'a=/srv/1,b=/srv/1'], faults: ['/target'] },
    { why: 'a folder of two targets, said differently', args: ['--target', 'a=x,b=./x'], faults: ['/target'] },
    {
      why: 'a folder of two targets, with more in its path',
      args: ['--target', 'a=/srv/1,b=/srv/./1/'],
      faults: ['/target'],
    },
    { why: 'TCP and a socket', args: [...TCP, '--fleetlet-socket', 's'], faults: ['/fleetlet'] },
    { why: 'TCP without a token', args: [...GOOD, '--fleetlet', '127.0.0.1:9090'], faults: ['/fleetlet'] },
    {
      why: 'a token in the clear beyond loopback',
      args: [...GOOD, '--fleetlet', '10.0.0.1:9090', '--token-file', 't'],
      faults: ['/fleetlet'],
    },
    {
      why: 'everything at once: neither a token nor TLS',
      args: [...GOOD, '--fleetlet', '10.0.0.1:9090', '--fleetlet-socket', 's'],
      faults: ['/fleetlet', '/fleetlet', '/fleetlet'],
    },
    { why: 'looking more often than is good', args: [...GOOD, '--look-every', '10ms'], faults: ['/look-every'] },
    { why: 'no such setting', args: [...GOOD, '--targets', 'x'], faults: ['/targets'] },
  ]) {
    test(`refused: ${why}`, () => {
      assert.throws(
        () => resolve(args),
        (error) => {
          assert.ok(error instanceof ConfigError);
          assert.deepEqual(
            error.faults.map(({ path }) => path),
            faults,
          );
          return true;
        },
      );
    });
  }
});
