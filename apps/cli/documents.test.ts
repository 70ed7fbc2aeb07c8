import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findFiles, ROOT } from '../../scripts/repository.ts';
import { COMMANDS, type CommandEntry } from './commands.ts';

interface Mention {
  readonly where: string;
  readonly command: string;
  readonly flags: readonly string[];
}

/** What begins a command in a line or a piece of code; npm start is serve. */
const COMMAND = /(?:^|[\s(|`$])(?:bin\/)?(?:fleetshift ([a-z][a-z-]*)|npm start --(?= ))([^`|#;)]*)/gm;
const CODE = /^```(?:sh|console|)\n(.*?)^```$|`([^`\n]+)`/gms;
const FLAG = /(?<=\s)--[a-z][a-z-]+/g;
/** A row of a table that says so is about a command that is still to come. */
const PLANNED = /^.*\| planned \|$/gm;
/** Flags of npm, and of the benchmarks. */
const OF_OTHERS = ['--omit', '--list', '--quick'];

test('every command and flag that the documents name is there', async () => {
  const mentions = (await pages()).flatMap(mentionsIn);
  assert.ok(mentions.length > 100, 'the commands are found');
  const wrong: string[] = [];
  for (const mention of mentions) wrong.push(...(await faultsOf(mention)));
  assert.deepEqual([...new Set(wrong)], []);
});

test('every flag that the documents name alone is that of a command', async () => {
  const known = new Set<string>(OF_OTHERS);
  for (const entry of COMMANDS) for (const flag of await flagsOf(entry)) known.add(flag);
  const alone = (await pages()).flatMap((page) =>
    Array.from(textOf(page).matchAll(/`(--[a-z][a-z-]+)[^`\n]*`/g), ([, flag = '']) => ({ page, flag })),
  );
  assert.ok(alone.length > 30, 'the flags are found');
  assert.deepEqual(
    alone.filter(({ flag }) => !known.has(flag)),
    [],
  );
});

test('a command or a flag that is not there is found', async () => {
  assert.deepEqual(await faultsOf({ where: 'x', command: 'gte', flags: [] }), ['x: fleetshift gte']);
  assert.deepEqual(await faultsOf({ where: 'x', command: 'get', flags: ['--wrkspace'] }), [
    'x: fleetshift get --wrkspace',
  ]);
});

async function pages(): Promise<string[]> {
  return await findFiles('*.md', 'docs/{guide,runbooks}/*.md');
}

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8').replace(PLANNED, '');
}

function mentionsIn(page: string): Mention[] {
  const text = textOf(page);
  const code = Array.from(text.matchAll(CODE), ([, block, span]) => block ?? span ?? '').map((each) =>
    each.replaceAll('\\\n', ' '),
  );
  return code.flatMap((each) =>
    Array.from(each.matchAll(COMMAND), ([, command = 'serve', rest = '']) => ({
      where: page,
      command,
      flags: (rest.split('\n')[0] ?? '').match(FLAG) ?? [],
    })),
  );
}

async function faultsOf({ where, command, flags }: Mention): Promise<string[]> {
  if (command === 'help') return [];
  const entry = COMMANDS.find(({ name }) => name === command);
  if (entry === undefined) return [`${where}: fleetshift ${command}`];
  const known = await flagsOf(entry);
  return flags.filter((flag) => !known.has(flag)).map((flag) => `${where}: fleetshift ${command} ${flag}`);
}

async function flagsOf({ load }: CommandEntry): Promise<ReadonlySet<string>> {
  const help = (await load()).help();
  return new Set(['--help', ...(help.match(/--[a-z][a-z-]+/g) ?? [])]);
}
