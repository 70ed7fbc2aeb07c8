import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boolean, type Settings, text } from '#kit/config';
import { UsageError } from '../command.ts';
import { splitArguments } from './split-arguments.ts';

const group = 'Test';
const SETTINGS: Settings = {
  name: { kind: text(), sentence: 'A name.', group },
  output: { kind: text(), sentence: 'A format.', group },
  history: { kind: boolean(), sentence: 'A toggle.', group },
};

for (const { why, args, positionals, flags } of [
  { why: 'nothing', args: [], positionals: [], flags: [] },
  { why: 'a value belongs to its flag', args: ['--name', 'a', 'b'], positionals: ['b'], flags: ['--name', 'a'] },
  { why: 'a toggle takes none', args: ['--history', 'b'], positionals: ['b'], flags: ['--history'] },
  { why: 'a value within its flag', args: ['--name=a', 'b'], positionals: ['b'], flags: ['--name=a'] },
  { why: 'the short form with a sign', args: ['-o=json'], positionals: [], flags: ['--output=json'] },
  { why: 'the short form without a blank', args: ['-ojson', 'b'], positionals: ['b'], flags: ['--output=json'] },
  { why: 'a dash alone is standard input', args: ['-'], positionals: ['-'], flags: [] },
  { why: 'the short form', args: ['b', '-o', 'json'], positionals: ['b'], flags: ['--output', 'json'] },
  {
    why: 'a flag is not the value of another',
    args: ['--name', '--history'],
    positionals: [],
    flags: ['--name', '--history'],
  },
  { why: 'an unknown flag is left to whoever complains', args: ['--nmae', 'a'], positionals: ['a'], flags: ['--nmae'] },
  {
    why: 'behind two dashes nothing is a flag',
    args: ['--', '--name', '-o'],
    positionals: ['--name', '-o'],
    flags: [],
  },
  { why: 'a name that every object has', args: ['--toString', 'a'], positionals: ['a'], flags: ['--toString'] },
]) {
  test(why, () => assert.deepEqual(splitArguments(SETTINGS, args), { positionals, flags }));
}

for (const arg of ['-x', '-w', '-w=web']) {
  test(`${arg} is refused by a command that does not know it`, () => {
    assert.throws(() => splitArguments(SETTINGS, [arg]), UsageError);
  });
}
