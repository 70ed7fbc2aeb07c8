import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { resolveSettings } from '#kit/config';
import { UsageError } from '../command.ts';
import { ClientError, type ClientErrorCode } from './client-error.ts';
import { CLIENT_SETTINGS } from './client-settings.ts';
import { openConnection } from './open-connection.ts';

const folder = mkdtempSync(join(tmpdir(), 'fleetshift-connection-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const fileWith = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
fileWith('admin-token', 'fst_local\n');
const given = fileWith('given-token', 'fst_given\n');
const broken = fileWith('broken-token', 'two words\n');
const authority = fileWith('ca.crt', '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n');

function open(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const options = { settings: CLIENT_SETTINGS, ignoredVariables: [/./], readText: () => '' };
  const local = args.includes('--data') ? args : ['--data', folder, ...args];
  return openConnection(resolveSettings({ ...options, args: local, environment }), environment);
}

const REMOTE = ['--server', 'https://fleet.example'];
const TOKEN = { FLEETSHIFT_TOKEN: 'fst_variable' };

const found: { why: string; args?: string[]; environment?: Record<string, string>; token: string }[] = [
  { why: 'nothing said: the platform on this machine', token: 'fst_local' },
  { why: 'another port of this machine', args: ['--server', 'http://[::1]:9000'], token: 'fst_local' },
  { why: 'a file by flag', args: ['--token-file', given], token: 'fst_given' },
  { why: 'a file by variable', environment: { FLEETSHIFT_TOKEN_FILE: given }, token: 'fst_given' },
  { why: 'a token by variable', environment: TOKEN, token: 'fst_variable' },
  { why: 'a flag wins over both', args: ['--token-file', given], environment: TOKEN, token: 'fst_given' },
  { why: 'elsewhere, with a token', args: REMOTE, environment: TOKEN, token: 'fst_variable' },
];

for (const { why, args = [], environment = {}, token } of found) {
  test(`found: ${why}`, () => assert.equal(open(args, environment).token.reveal(), token));
}

const refused: { why: string; args?: string[]; environment?: Record<string, string>; as: ClientErrorCode | 'usage' }[] =
  [
    { why: 'the token of this machine is not shown elsewhere', args: REMOTE, as: 'NO_TOKEN' },
    { why: 'no platform was ever started there', args: ['--data', join(folder, 'nowhere')], as: 'NO_TOKEN' },
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

test('one more authority', () => assert.match(open(['--ca-file', authority]).authority ?? '', /BEGIN CERTIFICATE/));
