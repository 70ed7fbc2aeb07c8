import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, printSettings } from '#kit/config';
import { isLoopback } from '#runtime/process/loopback';
import { PLATFORM_SETTINGS, resolvePlatformConfig } from './config.ts';

function resolve(args: readonly string[], environment: Record<string, string> = {}) {
  return resolvePlatformConfig({ args, environment, readText: () => '' });
}

test('the defaults are one process, one file, on loopback', () => {
  const { values } = resolve([]);
  assert.deepEqual(values.listen, { host: '127.0.0.1', port: 8700 });
  assert.deepEqual(values.tlsListen, { host: '127.0.0.1', port: 8701 });
  assert.equal(values.data, './.fleetshift');
  assert.deepEqual(values.database, { engine: 'sqlite' });
  assert.deepEqual(values.durable, { engine: 'embedded' });
  assert.equal(values.insecureHttp, false);
});

for (const { host, want } of [
  { host: 'localhost', want: true },
  { host: 'LOCALHOST', want: true },
  { host: '127.0.0.1', want: true },
  { host: '127.8.9.10', want: true },
  { host: '::1', want: true },
  { host: '::ffff:127.0.0.1', want: true },
  { host: '0.0.0.0', want: false },
  { host: '::', want: false },
  { host: '192.168.1.2', want: false },
  { host: 'localhost.example', want: false },
  { host: 'fleet.example', want: false },
]) {
  test(`${host} is ${want ? '' : 'not '}loopback`, () => assert.equal(isLoopback(host), want));
}

const refused: { why: string; args: string[]; faults: string[]; says?: RegExp[] }[] = [
  {
    why: 'plain HTTP beyond loopback, with both ways out',
    args: ['--listen', '0.0.0.0:8700'],
    faults: ['/listen'],
    says: [/--tls-listen/, /--insecure-http/],
  },
  {
    why: 'plain HTTP under a name that may lead anywhere',
    args: ['--listen', 'fleet.example:80'],
    faults: ['/listen'],
  },
  { why: 'nothing to serve', args: ['--listen', 'none', '--tls-listen', 'none'], faults: ['/listen'] },
  {
    why: 'a demo on a database that other processes may share',
    args: ['--demo-fleet', '5', '--database', 'postgres://a/b'],
    faults: ['/demo-fleet'],
  },
  {
    why: 'a demo that nobody may make',
    args: ['--demo-fleet', '5', '--admin-token-file', 'none'],
    faults: ['/demo-fleet'],
  },
  {
    why: 'the PROXY protocol from anyone, who could say to be anyone',
    args: ['--proxy-protocol'],
    faults: ['/proxy-protocol'],
    says: [/--trust-proxy/],
  },
  { why: 'a certificate without its key', args: ['--tls-cert', 'a'], faults: ['/tls-cert'] },
  { why: 'a key without its certificate', args: ['--tls-key', 'a'], faults: ['/tls-key'] },
  { why: 'a name that no certificate can hold', args: ['--tls-name', 'a_b'], faults: ['/tls-name'] },
  {
    why: 'a client certificate for Temporal without its key',
    args: ['--durable', 'temporal://a', '--temporal-cert', 'a'],
    faults: ['/temporal-cert'],
  },
  {
    why: 'the key of a client certificate for Temporal alone',
    args: ['--durable', 'temporal://a', '--temporal-key', 'a'],
    faults: ['/temporal-key'],
  },
  {
    why: 'credentials for a Temporal that no setting names',
    args: ['--temporal-tls', '--temporal-ca', 'a', '--temporal-server-name', 'a', '--temporal-api-key-file', 'a'],
    faults: ['/temporal-tls', '/temporal-ca', '/temporal-server-name', '/temporal-api-key-file'],
    says: [/--durable temporal:/],
  },
  { why: 'another kind of database', args: ['--database', 'mysql://a:hunter2@b/c'], faults: ['/database'] },
  ...['cadence://a:1/b', 'temporal://', 'temporal:a:1/b', 'temporal://a:1/b/c', 'temporal://a:1/%zz', 'Embedded'].map(
    (text) => ({
      why: `${text} to execute workflows`,
      args: ['--durable', text],
      faults: ['/durable'],
      says: [/is not embedded, or a URL such as temporal:\/\/127\.0\.0\.1:7233\/default/],
    }),
  ),
];

for (const { why, args, faults, says = [] } of refused) {
  test(`refused: ${why}`, () => {
    assert.throws(
      () => resolve(args),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.deepEqual(
          error.faults.map(({ path }) => path),
          faults,
        );
        for (const pattern of says) assert.match(error.message, pattern);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      },
    );
  });
}

for (const { why, args } of [
  { why: 'plain HTTP beyond loopback on purpose', args: ['--listen', '0.0.0.0:8700', '--insecure-http'] },
  { why: 'TLS beyond loopback', args: ['--tls-listen', '0.0.0.0:8701'] },
  { why: 'the PROXY protocol from a known load balancer', args: ['--proxy-protocol', '--trust-proxy', '10.0.0.0/8'] },
  { why: 'TLS alone', args: ['--listen', 'none'] },
  { why: 'any free port', args: ['--listen', '127.0.0.1:0', '--tls-listen', '[::1]:0'] },
  { why: 'names and addresses for the certificate', args: ['--tls-name', 'fleet.example,10.0.0.1', '--tls-name', 'b'] },
]) {
  test(`accepted: ${why}`, () => void resolve(args));
}

for (const { given, address, namespace, printed = given } of [
  { given: 'temporal://temporal.example:7233/fleet', address: 'temporal.example:7233', namespace: 'fleet' },
  { given: 'temporal://[::1]:7233/fleet', address: '[::1]:7233', namespace: 'fleet' },
  {
    given: 'temporal://temporal.example',
    address: 'temporal.example:7233',
    namespace: 'default',
    printed: 'temporal://temporal.example:7233/default',
  },
]) {
  test(`${given} is a Temporal server, and is printed so that it can be read again`, () => {
    const resolved = resolve(['--durable', given]);
    assert.deepEqual(resolved.values.durable, { engine: 'temporal', server: { address, namespace } });
    assert.ok(printSettings(PLATFORM_SETTINGS, resolved).includes(printed));
    assert.deepEqual(resolve(['--durable', printed]).values.durable, resolved.values.durable);
  });
}

test('what the command line client reads from the same environment is not ours', () => {
  const names = [
    'SERVER',
    'TOKEN',
    'TOKEN_FILE',
    'CA_FILE',
    'CONFIG',
    'CONTEXT',
    'ISSUER',
    'WORKSPACE',
    'PASSPHRASE_FILE',
  ];
  resolve([], Object.fromEntries(names.map((name) => [`FLEETSHIFT_${name}`, 'x'])));
});

test('the password of a database is in no dump', () => {
  const resolved = resolve([], { FLEETSHIFT_DATABASE: 'postgres://fleet:hunter2@db:5432/fleet?password=hunter2' });
  assert.match(printSettings(PLATFORM_SETTINGS, resolved), /postgres:\/\/fleet@db:5432\/fleet"/);
  assert.doesNotMatch(printSettings(PLATFORM_SETTINGS, resolved), /hunter2/);
  assert.doesNotMatch(JSON.stringify(resolved), /hunter2/);
});
