import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { resolveSettings } from '#kit/config';
import { UsageError } from '../command.ts';
import { ClientError, type ClientErrorCode } from './client-error.ts';
import { CLIENT_SETTINGS } from './client-settings.ts';
import { findPlatform } from './find-platform.ts';

const folder = mkdtempSync(join(tmpdir(), 'fleetshift-connection-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const fileWith = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
fileWith('admin-token', 'fst_local\n');
fileWith('endpoints.json', JSON.stringify({ urls: ['http://127.0.0.1:8700', 'https://localhost:8701'] }));
const elsewhere = join(folder, 'elsewhere');
mkdirSync(elsewhere);
fileWith('elsewhere/admin-token', 'fst_elsewhere\n');
fileWith('elsewhere/endpoints.json', JSON.stringify({ urls: ['https://localhost:9701', 'http://127.0.0.1:9700'] }));
const given = fileWith('given-token', 'fst_given\n');
const broken = fileWith('broken-token', 'two words\n');
const authority = fileWith('ca.crt', '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n');

const signal = new AbortController().signal;
const contexts = fileWith(
  'config.yaml',
  `version: 1
currentContext: here
contexts:
  - { name: here, server: "http://127.0.0.1:8700/", workspace: web, credentials: { kind: token, token: fst_context } }
  - { name: far, server: "https://far.example/", credentials: { kind: token, token: fst_far } }
  - { name: out, server: "https://out.example/" }
  - { name: open, server: "http://127.0.0.1:9/" }
`,
);
chmodSync(contexts, 0o600);
const KNOWN = { FLEETSHIFT_CONFIG: contexts };

function open(args: readonly string[], given: Readonly<Record<string, string>> = {}) {
  const environment = { FLEETSHIFT_CONFIG: join(folder, 'no-config'), ...given };
  const options = { settings: CLIENT_SETTINGS, ignoredVariables: [/./], readText: () => '' };
  const local = args.includes('--data') ? args : ['--data', folder, ...args];
  return findPlatform(resolveSettings({ ...options, args: local, environment }), environment);
}

const REMOTE = ['--server', 'https://fleet.example'];
const TOKEN = { FLEETSHIFT_TOKEN: 'fst_variable' };

type Found = {
  why: string;
  args?: string[];
  environment?: Record<string, string>;
  token: string | undefined;
  server?: string;
};

const found: Found[] = [
  { why: 'nothing said: the platform on this machine', token: 'fst_local' },
  {
    why: 'the platform of a folder, at its own port',
    args: ['--data', elsewhere],
    token: 'fst_elsewhere',
    server: 'http://127.0.0.1:9700/',
  },
  { why: 'another port of this machine is another program', args: ['--server', 'http://[::1]:9000'], token: undefined },
  { why: 'another address that it has', args: ['--server', 'https://localhost:8701'], token: 'fst_local' },
  { why: 'a file by flag', args: ['--token-file', given], token: 'fst_given' },
  { why: 'a file by variable', environment: { FLEETSHIFT_TOKEN_FILE: given }, token: 'fst_given' },
  { why: 'a token by variable', environment: TOKEN, token: 'fst_variable' },
  { why: 'a flag wins over both', args: ['--token-file', given], environment: TOKEN, token: 'fst_given' },
  { why: 'elsewhere, with a token', args: REMOTE, environment: TOKEN, token: 'fst_variable' },
  {
    why: 'no token at all: a platform on this machine may let everybody in',
    args: ['--data', join(folder, 'nowhere')],
    token: undefined,
  },
  { why: 'the current context comes before the folder', environment: KNOWN, token: 'fst_context' },
  {
    why: 'another context by flag',
    args: ['--context', 'far'],
    environment: KNOWN,
    token: 'fst_far',
    server: 'https://far.example/',
  },
  {
    why: 'another context by variable',
    environment: { ...KNOWN, FLEETSHIFT_CONTEXT: 'far' },
    token: 'fst_far',
    server: 'https://far.example/',
  },
  {
    why: 'a token of its own for the server of the context',
    args: ['--context', 'far', '--token-file', given],
    environment: KNOWN,
    token: 'fst_given',
    server: 'https://far.example/',
  },
  {
    why: 'the server of the context, said once more',
    args: ['--server', 'http://127.0.0.1:8700'],
    environment: KNOWN,
    token: 'fst_context',
  },
  {
    why: 'the login of a context does not go to another server',
    args: ['--server', 'http://127.0.0.1:9000'],
    environment: KNOWN,
    token: undefined,
    server: 'http://127.0.0.1:9000/',
  },
  {
    why: 'a context of this machine without a login',
    args: ['--context', 'open', '--data', join(folder, 'nowhere')],
    environment: KNOWN,
    token: undefined,
    server: 'http://127.0.0.1:9/',
  },
];

for (const { why, args = [], environment = {}, token, server } of found) {
  test(`found: ${why}`, async () => {
    const connection = await open(args, environment).connect(signal);
    assert.equal(connection.token?.reveal(), token);
    if (server !== undefined) assert.equal(connection.server.href, server);
  });
}

test('the workspace that the context means, unless another platform is asked', () => {
  assert.equal(open([], KNOWN).workspace, 'web');
  assert.equal(open(['--server', 'http://127.0.0.1:9000'], KNOWN).workspace, undefined);
});

const refused: { why: string; args?: string[]; environment?: Record<string, string>; as: ClientErrorCode | 'usage' }[] =
  [
    { why: 'the token of this machine is not shown elsewhere', args: REMOTE, as: 'NO_TOKEN' },
    { why: 'a file that is not there', args: ['--token-file', join(folder, 'nowhere')], as: 'NO_TOKEN' },
    { why: 'a file without a token', args: ['--token-file', broken], as: 'NO_TOKEN' },
    { why: 'a token that would break the header', environment: { FLEETSHIFT_TOKEN: 'a\nb' }, as: 'NO_TOKEN' },
    { why: 'two variables that contradict', environment: { ...TOKEN, FLEETSHIFT_TOKEN_FILE: given }, as: 'usage' },
    { why: 'plain HTTP to elsewhere', args: ['--server', 'http://fleet.example'], environment: TOKEN, as: 'usage' },
    {
      why: 'a password in the address',
      args: ['--server', 'https://a:b@fleet.example'],
      environment: TOKEN,
      as: 'usage',
    },
    { why: 'nobody is logged in there', args: ['--context', 'out'], environment: KNOWN, as: 'NO_TOKEN' },
    {
      why: 'a context and a server that contradict',
      args: ['--context', 'far', '--server', 'https://fleet.example'],
      environment: KNOWN,
      as: 'usage',
    },
    { why: 'an authority that is not there', args: ['--ca-file', join(folder, 'nowhere')], as: 'usage' },
    { why: 'an authority that is none', args: ['--ca-file', given], as: 'usage' },
  ];

for (const { why, args = [], environment = {}, as } of refused) {
  test(`refused: ${why}`, () => {
    assert.throws(
      () => open(args, environment),
      (error) => (as === 'usage' ? error instanceof UsageError : error instanceof ClientError && error.code === as),
    );
  });
}

test('one more authority', async () => {
  assert.match((await open(['--ca-file', authority]).connect(signal)).authority ?? '', /BEGIN CERTIFICATE/);
});

test('a context that is not there', () =>
  assert.throws(() => open(['--context', 'x'], KNOWN), { code: 'CONTEXT_NOT_FOUND' }));

test('the platform of the data folder names the workspace, and a context goes first', () => {
  assert.equal(open([]).workspace, undefined);
  fileWith('elsewhere/default-workspace', 'demo\n');
  const at = ['--data', elsewhere];
  assert.equal(open(at).workspace, 'demo');
  assert.equal(open([...at, '--server', 'http://127.0.0.1:9700']).workspace, 'demo');
  assert.equal(open([...at, '--server', 'http://127.0.0.1:9']).workspace, undefined);
  assert.equal(open(at, KNOWN).workspace, 'web');
  fileWith('elsewhere/default-workspace', '../etc\n');
  assert.equal(open(at).workspace, undefined);
});
