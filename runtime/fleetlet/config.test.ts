import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ConfigError } from '#kit/config';
import { resolveFleetletConfig } from './config.ts';
import { apiOf } from './connect/platform-address.ts';

function resolve(args: readonly string[], environment: Record<string, string> = {}) {
  return resolveFleetletConfig({ args, environment, readText: () => '' }).values;
}

const GOOD = ['--platform', 'https://fleet.example:8701'];

suite('settings of a fleetlet', () => {
  test('the address of the platform is all that is needed', () => {
    const { platform, data, insecure, accessStale, bulkChannels, target } = resolve(GOOD);
    assert.equal(platform?.kind, 'api');
    assert.deepEqual([data, insecure, accessStale, target], ['./.fleetlet', false, 300_000, []]);
    assert.deepEqual(bulkChannels, ['index', 'data/*']);
  });

  for (const { given, kind, api } of [
    { given: 'https://fleet.example:8701', kind: 'api', api: 'https://fleet.example:8701/' },
    { given: 'fleet.example:8702', kind: 'grpc', api: 'https://fleet.example:8701/' },
    { given: '[fd00::1]:8702', kind: 'grpc', api: 'https://[fd00::1]:8701/' },
    { given: 'wss://fleet.example/v1/fleetlet', kind: 'websocket', api: 'https://fleet.example/' },
  ]) {
    test(`${given} is ${kind}, and its API ${api}`, () => {
      const { platform } = resolve(['--platform', given]);
      assert.ok(platform !== undefined);
      assert.deepEqual([platform.kind, apiOf(platform).href], [kind, api]);
    });
  }

  test('lists are read, and the token only from the environment', () => {
    const args = [...GOOD, '--target', 'edge-1=directory', '--target', 'edge-2=kubernetes', '--allow', 'a=token:x,b=*'];
    const { target, allow, bootstrapToken } = resolve(args, { FLEETSHIFT_BOOTSTRAP_TOKEN: 'fsb_x' });
    assert.deepEqual(
      target.map(({ name, type }) => `${name} ${type}`),
      ['edge-1 directory', 'edge-2 kubernetes'],
    );
    assert.deepEqual(allow, [
      { channel: 'a', identity: 'token:x' },
      { channel: 'b', identity: '*' },
    ]);
    assert.equal(bootstrapToken?.reveal(), 'fsb_x');
    assert.throws(() => resolve([...GOOD, '--bootstrap-token', 'fsb_x']), ConfigError);
  });

  for (const { why, args, faults } of [
    { why: 'no platform', args: [], faults: ['/platform'] },
    { why: 'a platform that is no address', args: ['--platform', 'fleet.example'], faults: ['/platform'] },
    { why: 'another scheme', args: ['--platform', 'ftp://fleet.example'], faults: ['/platform'] },
    { why: 'a password in the address', args: ['--platform', 'https://a:b@fleet.example'], faults: ['/platform'] },
    { why: 'plain, without saying so', args: ['--platform', 'http://127.0.0.1:8700'], faults: ['/platform'] },
    { why: 'plain beyond loopback', args: ['--platform', 'ws://10.0.0.1:80', '--insecure'], faults: ['/platform'] },
    {
      why: 'a plain enrolment beyond loopback',
      args: [...GOOD, '--enroll-url', 'http://fleet.example', '--insecure'],
      faults: ['/enroll-url'],
    },
    { why: 'TCP without tokens', args: [...GOOD, '--listen-tcp', '127.0.0.1:9090'], faults: ['/listen-tcp'] },
    {
      why: 'TCP beyond loopback without TLS',
      args: [...GOOD, '--listen-tcp', '0.0.0.0:9090', '--local-token-file', 't'],
      faults: ['/listen-tcp'],
    },
    { why: 'a certificate without its key', args: [...GOOD, '--local-tls-cert', 'c'], faults: ['/local-tls-cert'] },
    { why: 'a key without its certificate', args: [...GOOD, '--local-tls-key', 'k'], faults: ['/local-tls-key'] },
    {
      why: 'a direct address nobody listens at',
      args: [...GOOD, '--direct-address', 'a:1'],
      faults: ['/direct-address'],
    },
    {
      why: 'a direct address that is any',
      args: [...GOOD, '--listen-direct', '0.0.0.0:1'],
      faults: ['/listen-direct'],
    },
    { why: 'a target without a type', args: [...GOOD, '--target', 'edge-1'], faults: ['/target'] },
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

  test('plain on loopback is for whoever says so', () => {
    assert.equal(resolve(['--platform', 'http://127.0.0.1:8700', '--insecure']).platform?.kind, 'api');
    const tls = ['--local-tls-cert', 'c', '--local-tls-key', 'k'];
    assert.ok(resolve([...GOOD, '--listen-tcp', '0.0.0.0:9090', '--local-token-file', 't', ...tls]).listenTcp);
  });
});
