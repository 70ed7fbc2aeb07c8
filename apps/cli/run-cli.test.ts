import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '#kit/config';
import { type Catalogue, FleetError } from '#kit/std';
import { ClientError } from './client/client-error.ts';
import { type ExitCode, UsageError } from './command.ts';
import { COMMANDS, type CommandEntry } from './commands.ts';
import { runCli } from './run-cli.ts';

const CATALOGUE = { DISK_FULL: { category: 'exhausted', retry: 'after-change' } } as const satisfies Catalogue;
class KnownError extends FleetError<keyof typeof CATALOGUE> {
  get entry() {
    return CATALOGUE[this.code];
  }
}

const rows: { why: string; args: string[]; throws?: Error; code: ExitCode; out?: RegExp; err?: RegExp }[] = [
  { why: 'a command gets its arguments', args: ['act', '--x', 'y'], code: 0, out: /^act --x y$/ },
  { why: 'help of a command', args: ['act', '--help'], code: 0, out: /^help of act$/ },
  { why: 'short help of a command', args: ['act', '-h'], code: 0, out: /^help of act$/ },
  { why: 'help by name', args: ['help', 'act'], code: 0, out: /^help of act$/ },
  { why: 'what stands behind two dashes is not ours', args: ['act', '--', '--help'], code: 0, out: /^act -- --help$/ },
  { why: 'the overview', args: ['help'], code: 0, out: /Usage: fleetshift <command>[^]*act +acts/ },
  { why: 'the overview by flag', args: ['--help'], code: 0, out: /Usage/ },
  { why: 'nothing at all', args: [], code: 2, err: /missing command[^]*Usage/ },
  { why: 'a slip', args: ['atc'], code: 2, err: /^fleetshift atc: unknown command; did you mean act\?/ },
  { why: 'help for a slip', args: ['help', 'atc'], code: 2, err: /did you mean act\?/ },
  { why: 'wrong usage', args: ['act'], throws: new UsageError('no'), code: 2, err: /^fleetshift act: no\n$/ },
  { why: 'wrong settings', args: ['act'], throws: new ConfigError('SETTINGS_INVALID', 'no'), code: 2, err: /: no\n$/ },
  {
    why: 'a failure that is known is a sentence',
    args: ['act'],
    throws: new KnownError('DISK_FULL', 'the disk is full'),
    code: 1,
    err: /^fleetshift act: the disk is full\n$/,
  },
  {
    why: 'what a platform refuses has a code for scripts: not there',
    args: ['act'],
    throws: new ClientError('NOT_FOUND', 'no workflow a'),
    code: 3,
    err: /^fleetshift act: no workflow a\n$/,
  },
  { why: 'denied', args: ['act'], throws: new ClientError('PERMISSION_DENIED', 'no'), code: 4, err: /no/ },
  { why: 'no token', args: ['act'], throws: new ClientError('NO_TOKEN', 'no'), code: 4, err: /no/ },
  { why: 'in the way', args: ['act'], throws: new ClientError('CONFLICT', 'no'), code: 5, err: /no/ },
  { why: 'away', args: ['act'], throws: new ClientError('SERVER_UNREACHABLE', 'no'), code: 6, err: /no/ },
  { why: 'badly asked', args: ['act'], throws: new ClientError('REQUEST_INVALID', 'no'), code: 2, err: /no/ },
  { why: 'broken there', args: ['act'], throws: new ClientError('SERVER_FAILED', 'no'), code: 1, err: /no/ },
  {
    why: 'a mistake of ours shows where',
    args: ['act'],
    throws: new TypeError('x'),
    code: 1,
    err: /report it\nTypeError: x\n +at /,
  },
];

for (const { why, args, throws, code, out = /^$/, err = /^$/ } of rows) {
  test(why, async () => {
    const told = { out: '', err: '' };
    const commands: CommandEntry[] = [
      {
        name: 'act',
        summary: 'acts',
        load: async () => ({
          help: () => 'help of act',
          run: async (given, io) => {
            if (throws !== undefined) throw throws;
            io.out(['act', ...given].join(' '));
            return 0;
          },
        }),
      },
    ];
    const io = {
      out: (text: string) => void (told.out += text),
      err: (text: string) => void (told.err += text),
      errIsTerminal: false,
      outIsTerminal: false,
      environment: {},
    };
    assert.equal(await runCli(args, { commands, io }, new AbortController().signal), code);
    assert.match(told.out, out);
    assert.match(told.err, err);
  });
}

test('every command loads and has help that begins with its usage', async () => {
  for (const { name, load } of COMMANDS) {
    const command = await load();
    assert.ok(command.help().startsWith(`Usage: fleetshift ${name}`), name);
  }
});
