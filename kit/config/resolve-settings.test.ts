import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMON_SETTINGS } from './common-settings.ts';
import { ConfigError } from './config-error.ts';
import { boolean, duration, hostPort, integer, listOf, oneOf, secret, text } from './kinds.ts';
import { resolveSettings } from './resolve-settings.ts';
import type { Settings } from './setting.ts';

const group = 'Test';
const SETTINGS = {
  ...COMMON_SETTINGS,
  listen: { kind: hostPort(), default: '127.0.0.1:8700', sentence: 'Where to listen.', group },
  'log-level': { kind: oneOf(['info', 'debug']), default: 'info', sentence: 'How much to say.', group },
  'insecure-http': { kind: boolean(), default: 'false', sentence: 'Allow it.', group },
  'tls-name': { kind: listOf(text('NAME')), default: '', sentence: 'More names.', group },
  'rate-limit': { kind: integer({ min: 1, max: 1000 }), default: '100', sentence: 'How often.', group },
  'request-timeout': { kind: duration('1s', '1h'), default: '30s', sentence: 'How long.', group },
  password: { kind: secret(integer({ min: 0, max: 9 })), sentence: 'A secret.', group },
} as const satisfies Settings;

interface Given {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly file?: string;
}

function resolve({ args = [], environment = {}, file }: Given) {
  return resolveSettings({
    settings: SETTINGS,
    args: file === undefined ? args : [...args, '--config', '/etc/x.yaml'],
    environment,
    ignoredVariables: [/^FLEETSHIFT_CONFIG$/, /^FLEETSHIFT_TEST_/],
    readText(path) {
      if (path !== '/etc/x.yaml' || file === undefined) throw new Error('no such file');
      return file;
    },
  });
}

const accepted: { why: string; given: Given; want: Record<string, unknown> }[] = [
  { why: 'nothing given: the defaults', given: {}, want: { logLevel: 'info', rateLimit: 100, tlsName: [] } },
  { why: 'nothing given, no default', given: {}, want: { password: undefined } },
  { why: 'a flag and its value', given: { args: ['--log-level', 'debug'] }, want: { logLevel: 'debug' } },
  { why: 'a flag with an equals sign', given: { args: ['--log-level=debug'] }, want: { logLevel: 'debug' } },
  { why: 'a toggle alone', given: { args: ['--insecure-http'] }, want: { insecureHttp: true } },
  {
    why: 'a toggle does not eat what follows',
    given: { args: ['--insecure-http', '--log-level', 'debug'] },
    want: { insecureHttp: true, logLevel: 'debug' },
  },
  { why: 'a toggle in words', given: { args: ['--insecure-http=false'] }, want: { insecureHttp: false } },
  {
    why: 'a toggle switched off over the environment',
    given: { args: ['--no-insecure-http'], environment: { FLEETSHIFT_INSECURE_HTTP: 'true' } },
    want: { insecureHttp: false },
  },
  {
    why: 'a list repeated',
    given: { args: ['--tls-name', 'a', '--tls-name=b,c'] },
    want: { tlsName: ['a', 'b', 'c'] },
  },
  { why: 'a list as a YAML sequence', given: { file: 'tls-name: [a, b]' }, want: { tlsName: ['a', 'b'] } },
  { why: 'a list as YAML text', given: { file: 'tls-name: a,b' }, want: { tlsName: ['a', 'b'] } },
  { why: 'a variable', given: { environment: { FLEETSHIFT_RATE_LIMIT: '7' } }, want: { rateLimit: 7 } },
  { why: 'an empty variable is none', given: { environment: { FLEETSHIFT_RATE_LIMIT: '' } }, want: { rateLimit: 100 } },
  { why: 'variables of others', given: { environment: { PATH: '/bin', FLEETSHIFT_CONFIG: 'x' } }, want: {} },
  { why: 'ignored by pattern', given: { environment: { FLEETSHIFT_TEST_SEED: '1' } }, want: {} },
  {
    why: 'what Kubernetes says about a Service that is named like us',
    given: {
      environment: {
        FLEETSHIFT_SERVICE_HOST: '10.0.0.1',
        FLEETSHIFT_SERVICE_PORT_HTTPS: '8701',
        FLEETSHIFT_PORT: 'tcp://10.0.0.1:8701',
        FLEETSHIFT_PORT_8701_TCP_ADDR: '10.0.0.1',
        FLEETSHIFT_DB_PORT_5432_TCP: 'tcp://10.0.0.2:5432',
      },
    },
    want: {},
  },
  { why: 'a YAML number', given: { file: 'rate-limit: 7' }, want: { rateLimit: 7 } },
  { why: 'a YAML string that is a number', given: { file: 'rate-limit: "7"' }, want: { rateLimit: 7 } },
  { why: 'a YAML boolean', given: { file: 'insecure-http: true' }, want: { insecureHttp: true } },
  { why: 'an empty file', given: { file: '# nothing\n' }, want: { rateLimit: 100 } },
  { why: 'JSON, which is YAML', given: { file: '{"log-level": "debug"}' }, want: { logLevel: 'debug' } },
];

for (const { why, given, want } of accepted) {
  test(`accepted: ${why}`, () => {
    const { values } = resolve(given);
    assert.deepEqual({ ...values, ...want }, values);
  });
}

const refused: { why: string; given: Given; names: RegExp[]; path: string }[] = [
  {
    why: 'unknown flag',
    given: { args: ['--lisen', 'x'] },
    names: [/--lisen: no such.*did you mean --listen\?/],
    path: '/lisen',
  },
  { why: 'unknown flag, nothing near', given: { args: ['--zzz'] }, names: [/--zzz: no such setting$/], path: '/zzz' },
  {
    why: 'a name that every object has',
    given: { args: ['--toString'] },
    names: [/--toString: no such/],
    path: '/toString',
  },
  { why: 'no value at the end', given: { args: ['--listen'] }, names: [/--listen: needs a host/], path: '/listen' },
  {
    why: 'no value before a flag',
    given: { args: ['--listen', '--insecure-http'] },
    names: [/--listen: needs a host/],
    path: '/listen',
  },
  { why: 'an empty value', given: { args: ['--listen='] }, names: [/--listen: "" is not a host/], path: '/listen' },
  {
    why: 'a repeated flag',
    given: { args: ['--listen', 'a:1', '--listen', 'b:2'] },
    names: [/--listen: .*more than once/],
    path: '/listen',
  },
  {
    why: 'both ways of a toggle',
    given: { args: ['--insecure-http', '--no-insecure-http'] },
    names: [/more than once/],
    path: '/insecure-http',
  },
  {
    why: 'a negated toggle with a value',
    given: { args: ['--no-insecure-http=true'] },
    names: [/takes no value/],
    path: '/insecure-http',
  },
  {
    why: 'a negated setting that is no toggle',
    given: { args: ['--no-listen'] },
    names: [/--no-listen: no such/],
    path: '/no-listen',
  },
  { why: 'an argument', given: { args: ['serve'] }, names: [/"serve": an argument/], path: '/serve' },
  {
    why: 'a wrong value of a flag',
    given: { args: ['--rate-limit', '0'] },
    names: [/^ {2}--rate-limit: "0" is not/m],
    path: '/rate-limit',
  },
  {
    why: 'a wrong value of a variable',
    given: { environment: { FLEETSHIFT_LISTEN: 'x' } },
    names: [/listen \(environment variable FLEETSHIFT_LISTEN\): "x" is not/],
    path: '/listen',
  },
  {
    why: 'an unknown variable',
    given: { environment: { FLEETSHIFT_LISTN: 'x' } },
    names: [/FLEETSHIFT_LISTN.*did you mean FLEETSHIFT_LISTEN\?/],
    path: '/FLEETSHIFT_LISTN',
  },
  {
    why: 'a port by the name that Kubernetes uses, but with a person’s value',
    given: { environment: { FLEETSHIFT_PORT: '9000' } },
    names: [/FLEETSHIFT_PORT/],
    path: '/FLEETSHIFT_PORT',
  },
  {
    why: 'a flag-only setting as a variable',
    given: { environment: { FLEETSHIFT_HELP: 'true' } },
    names: [/no such/],
    path: '/FLEETSHIFT_HELP',
  },
  {
    why: 'a wrong value in the file',
    given: { file: '\n\nrate-limit: x' },
    names: [/rate-limit \(\/etc\/x.yaml line 3\): "x"/],
    path: '/rate-limit',
  },
  {
    why: 'a wrong value in the file that a flag overrides',
    given: { file: 'rate-limit: x', args: ['--rate-limit', '5'] },
    names: [/line 1/],
    path: '/rate-limit',
  },
  { why: 'an unknown key', given: { file: 'listn: a:1' }, names: [/line 1.*did you mean listen\?/], path: '/listn' },
  {
    why: 'a key that may not stand in a file',
    given: { file: 'config: b.yaml' },
    names: [/config.*no such/],
    path: '/config',
  },
  {
    why: 'a duplicate key',
    given: { file: 'listen: a:1\nlisten: b:2' },
    names: [/line 2.*already.*line 1/],
    path: '/listen',
  },
  {
    why: 'a map for a value',
    given: { file: 'listen: {host: a}' },
    names: [/listen .*no single value/],
    path: '/listen',
  },
  {
    why: 'a sequence for a value',
    given: { file: 'listen: [a]' },
    names: [/listen .*no single value/],
    path: '/listen',
  },
  { why: 'nothing for a value', given: { file: 'listen:' }, names: [/listen .*no single value/], path: '/listen' },
  { why: 'a map in a list', given: { file: 'tls-name: [{a: b}]' }, names: [/tls-name/], path: '/tls-name' },
  { why: 'a file that is no map', given: { file: '- listen' }, names: [/x.yaml line 1.*not a map/], path: '/YAML' },
  { why: 'a file that is no YAML', given: { file: 'a: b\n  c: [' }, names: [/x.yaml line 1/], path: '/YAML' },
  {
    why: 'a file that is not there',
    given: { args: ['--config', '/nope'] },
    names: [/--config: cannot read.*no such file/],
    path: '/config',
  },
  {
    why: 'a file that the environment names is not there',
    given: { environment: { FLEETSHIFT_CONFIG_FILE: '/nope' } },
    names: [/FLEETSHIFT_CONFIG_FILE/],
    path: '/config',
  },
];

for (const { why, given, names, path } of refused) {
  test(`refused: ${why}`, () => {
    const error = faultsOf(given);
    assert.equal(error.code, 'SETTINGS_INVALID');
    for (const name of names) assert.match(error.message, name);
    assert.deepEqual(
      error.faults.map((fault) => fault.path),
      [path],
      error.message,
    );
  });
}

test('all faults are told at once, whichever source they came from', () => {
  const error = faultsOf({
    args: ['--listen', 'x', '--nope'],
    environment: { FLEETSHIFT_RATE_LIMIT: '0' },
    file: 'request-timeout: 5\nlog-lvel: info',
  });
  assert.deepEqual(error.faults.map(({ path }) => path).sort(), [
    '/listen',
    '/log-lvel',
    '/nope',
    '/rate-limit',
    '/request-timeout',
  ]);
});

test('the value of a secret is in no message', () => {
  for (const given of [
    { args: ['--password', 'hunter2'] },
    { environment: { FLEETSHIFT_PASSWORD: 'hunter2' } },
    { file: 'password: hunter2' },
  ]) {
    const error = faultsOf(given);
    assert.doesNotMatch(`${error.message}${JSON.stringify(error.faults)}`, /hunter2/);
  }
});

test('a rule between settings names the setting and its source', () => {
  const options = {
    settings: SETTINGS,
    args: ['--listen', '0.0.0.0:1'],
    environment: {},
    readText: () => '',
  };
  assert.throws(
    () =>
      resolveSettings({
        ...options,
        check: (values, refuse) => {
          if (values.listen.host === '0.0.0.0') refuse('listen', 'is open to everyone');
        },
      }),
    (error) => error instanceof ConfigError && /--listen: is open to everyone/.test(error.message),
  );
});

function faultsOf(given: Given): ConfigError {
  try {
    resolve(given);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error;
  }
  return assert.fail('it was accepted');
}
