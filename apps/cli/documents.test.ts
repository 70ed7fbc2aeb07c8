import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { blocksOf, spansOf } from '#testing/documents';
import { findFiles, ROOT } from '../../scripts/repository.ts';
import { COMMANDS, type CommandEntry } from './commands.ts';
import { KINDS, kindNamed } from './kinds/kinds.ts';

interface Mention {
  readonly where: string;
  readonly command: string;
  /** The word after the command, unless it is a flag, a value or a placeholder. */
  readonly word?: string | undefined;
  readonly flags: readonly string[];
}

/** The beginning of a command in a line or in inline code; `npm start` is demo, which takes the flags of serve as well. */
const COMMAND = /(?:^|[\s(|`$])(?:bin\/)?(?:fleetshift ([a-z][a-z-]*)|npm start --(?= ))([^`|#;)]*)/gm;
const FLAG = /(?<=\s)--[a-z][a-z-]+/g;
const WORD = /^ ([a-z][a-z-]*)(?=\s|$)/;
const VARIABLE = /\bFLEETSHIFT_[A-Z][A-Z_]*[A-Z]\b/g;
/** Commands whose first word is a kind. */
const OF_KINDS = ['get', 'describe', 'delete', 'label'];
/** Flags of npm, the benchmarks and the soaks. */
const OF_OTHERS = ['--omit', '--list', '--quick', '--beside'];

const pages = await findFiles('*.md', 'docs/*.md', 'docs/{guide,runbooks}/*.md');
const paths = await findFiles('{apps,bench,kit,runtime,scripts,testing}/**/*.ts');
const sources = paths.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n');

test('every command, verb and flag that the documents name is there', async () => {
  const mentions = pages.flatMap(mentionsIn);
  assert.ok(mentions.length > 100, 'the commands are found');
  const wrong: string[] = [];
  for (const mention of mentions) wrong.push(...(await faultsOf(mention)));
  assert.deepEqual([...new Set(wrong)], []);
});

test('every flag that the documents name alone is that of a command', async () => {
  const known = new Set<string>(OF_OTHERS);
  for (const entry of COMMANDS) for (const flag of await flagsOf(entry)) known.add(flag);
  const alone = pages.flatMap((page) =>
    spansOf(page).flatMap(({ text }) => (/^--[a-z][a-z-]+/.exec(text) ?? []).map((flag) => ({ page, flag }))),
  );
  assert.ok(alone.length > 30, 'the flags are found');
  assert.deepEqual(
    alone.filter(({ flag }) => !known.has(flag)),
    [],
  );
});

test('every variable that the documents name is that of a setting, or is read by a test', async () => {
  const helps = await Promise.all(COMMANDS.map(async ({ load }) => (await load()).help()));
  const known = new Set(helps.join('\n').match(VARIABLE));
  const named = pages.flatMap((page) =>
    [...spansOf(page), ...blocksOf(page)].flatMap(({ text }) => text.match(VARIABLE) ?? []),
  );
  assert.ok(named.length > 10, 'the variables are found');
  const isRead = (name: string): boolean =>
    [`['${name}']`, `'${name}'`, `${name}: `].some((use) => sources.includes(use));
  assert.deepEqual(
    named.filter((name) => !known.has(name) && !isRead(name)),
    [],
  );
});

test('a command, a verb, a kind or a flag that is not there is found', async () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    'fleetshift gte': ['x: fleetshift gte'],
    'fleetshift get --wrkspace web': ['x: fleetshift get --wrkspace'],
    'fleetshift get tragets': ['x: fleetshift get tragets'],
    'fleetshift rollout unwind web': ['x: fleetshift rollout unwind'],
    'fleetshift agent nomad': ['x: fleetshift agent nomad'],
    'fleetshift get targets --subtree': [],
    'fleetshift rollout status web': [],
    'fleetshift deploy web': [],
    'fleetshift fleetlet --with kubernetes': [],
  };
  for (const [command, want] of Object.entries(cases)) {
    const [mention] = mentionsOf('x', command);
    assert.ok(mention);
    assert.deepEqual(await faultsOf(mention), want, command);
  }
});

function mentionsIn(page: string): Mention[] {
  const blocks = blocksOf(page).filter(({ info }) => /^(?:sh|console|)(?: |$)/.test(info));
  return [...blocks, ...spansOf(page)].flatMap(({ text }) => mentionsOf(page, text.replaceAll('\\\n', ' ')));
}

function mentionsOf(where: string, code: string): Mention[] {
  const uncommented = code.replaceAll(/(?:^| )# .*$/gm, '');
  return Array.from(uncommented.matchAll(COMMAND), ([, command = 'demo', rest = '']) => {
    const [line = ''] = rest.split('\n');
    return { where, command, word: WORD.exec(line)?.[1], flags: line.match(FLAG) ?? [] };
  });
}

async function faultsOf({ where, command, word, flags }: Mention): Promise<string[]> {
  if (command === 'help') return [];
  const entry = COMMANDS.find(({ name }) => name === command);
  if (entry === undefined) return [`${where}: fleetshift ${command}`];
  const known = await flagsOf(entry);
  const wrong = flags.filter((flag) => !known.has(flag));
  if (word !== undefined && !(await isWordOf(entry, word))) wrong.unshift(word);
  return wrong.map((each) => `${where}: fleetshift ${command} ${each}`);
}

/** A command whose usage has no words after its name accepts any: names, files. */
async function isWordOf({ name, load }: CommandEntry, word: string): Promise<boolean> {
  if (OF_KINDS.includes(name)) return isKind(word);
  const usages = (await load()).help().matchAll(new RegExp(`fleetshift ${name} ([a-z][a-z|-]*)`, 'g'));
  const words = new Set(Array.from(usages, ([, verbs = '']) => verbs.split('|')).flat());
  return words.size === 0 || words.has(word);
}

function isKind(word: string): boolean {
  try {
    return KINDS.includes(kindNamed(word));
  } catch {
    return false;
  }
}

async function flagsOf({ load }: CommandEntry): Promise<ReadonlySet<string>> {
  const help = (await load()).help();
  return new Set(['--help', ...(help.match(/--[a-z][a-z-]+/g) ?? [])]);
}
