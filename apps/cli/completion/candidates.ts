import type { Command } from '../command.ts';
import { ROLLOUT_VERBS } from '../commands/workloads/rollout/rollout-verbs.ts';
import type { Kind } from '../kinds/kind.ts';
import { KINDS } from '../kinds/kinds.ts';
import { ITEM_FORMAT_WORDS } from '../output/item-format.ts';
import { SHELL_SCRIPTS } from './shell-scripts.ts';

/** The candidates for a word: known words, or names to ask the platform for. */
export type Candidates =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'names'; readonly of: Kind }
  | { readonly kind: 'contexts' };

interface CommandLine {
  /** All words after `fleetshift`; the last is the one to complete and may be empty. */
  readonly words: readonly string[];
  readonly commands: readonly string[];
  readonly load: (command: string) => Promise<Command | undefined>;
}

const VERBS: Readonly<Record<string, readonly string[]>> = {
  rollout: Object.keys(ROLLOUT_VERBS),
  workflow: ['list', 'show', 'cancel', 'pause', 'resume'],
  'dead-letter': ['list', 'replay', 'discard'],
  audit: ['list', 'verify'],
  keys: ['list', 'rotate'],
  token: ['create', 'rotate', 'revoke'],
  config: ['get-contexts', 'current-context', 'use-context', 'set-context', 'delete-context', 'view'],
  completion: Object.keys(SHELL_SCRIPTS),
  move: ['workspace'],
  assign: ['target'],
  grant: ['viewer', 'deployer', 'approver', 'cluster-viewer', 'cluster-editor', 'admin'],
  revoke: ['viewer', 'deployer', 'approver', 'cluster-viewer', 'cluster-editor', 'admin'],
};
const WITH_KIND: Readonly<Record<string, (kind: Kind) => boolean>> = {
  get: () => true,
  describe: ({ nameOf }) => nameOf !== undefined,
  delete: ({ deletable }) => deletable === true,
  label: ({ labelled }) => labelled === true,
};
/** By the flag before the word. The shell completes files itself. */
const VALUES: Readonly<Record<string, string>> = {
  '-w': 'workspaces',
  '--workspace': 'workspaces',
  '--target': 'targets',
  '--service-account': 'service-accounts',
  '--deployment': 'deployments',
};
const FILES = ['-f', '--filename', '--file', '--template', '--values', '--ca-file', '--token-file', '--data'];
/** Verbs whose argument is a deployment. */
const OF_DEPLOYMENT = ['deploy', 'preview', 'diff', 'revisions', 'timeline'];
const NOTHING: Candidates = { kind: 'words', words: [] };

/** The candidates for the last word. The caller filters them by prefix. */
export async function candidatesFor({ words, commands, load }: CommandLine): Promise<Candidates> {
  const [name = '', ...rest] = words;
  if (rest.length === 0) return { kind: 'words', words: commands };
  const command = name === 'help' ? undefined : await load(name);
  const flags = command === undefined ? [] : flagsIn(command.help());
  const last = rest.at(-1) ?? '';
  const before = rest.at(-2) ?? '';
  const byFlag = valueOf(before, name);
  if (byFlag !== undefined) return byFlag;
  if (last.startsWith('-')) return { kind: 'words', words: flags.map(({ flag }) => flag) };
  if (takesValue(before, flags)) return NOTHING;
  return positional(name, positionals(rest.slice(0, -1), flags), commands);
}

function positional(name: string, given: readonly string[], commands: readonly string[]): Candidates {
  const [first] = given;
  if (name === 'help') return first === undefined ? { kind: 'words', words: commands } : NOTHING;
  const kinds = WITH_KIND[name];
  if (kinds !== undefined) {
    if (first === undefined) return { kind: 'words', words: KINDS.filter(kinds).map(({ plural }) => plural) };
    return name === 'label' && given.length > 1 ? NOTHING : namesOf(first);
  }
  if (name === 'cordon' || name === 'uncordon') return namesOf('targets');
  if (OF_DEPLOYMENT.includes(name)) return first === undefined ? namesOf('deployments') : NOTHING;
  if (first === undefined) return { kind: 'words', words: VERBS[name] ?? [] };
  if (name === 'move' || name === 'assign') return namesOf(first);
  if (name === 'rollout') return given.length === 1 ? namesOf('deployments') : NOTHING;
  if (name === 'token' && first === 'create') return namesOf('service-accounts');
  if (name === 'token') return namesOf('tokens');
  const takesContext = ['use-context', 'set-context', 'delete-context'].includes(first);
  return name === 'config' && takesContext && given.length === 1 ? { kind: 'contexts' } : NOTHING;
}

function valueOf(flag: string, command: string): Candidates | undefined {
  if (flag === '--context') return { kind: 'contexts' };
  if (flag === '-o' || flag === '--output') {
    return { kind: 'words', words: command === 'get' ? ITEM_FORMAT_WORDS : ['table', 'json', 'yaml'] };
  }
  if (FILES.includes(flag)) return NOTHING;
  if (flag === '--to' && (command === 'move' || command === 'assign')) return namesOf('workspaces');
  const plural = Object.hasOwn(VALUES, flag) ? VALUES[flag] : undefined;
  return plural === undefined ? undefined : namesOf(plural);
}

function namesOf(word: string): Candidates {
  const wanted = word.toLowerCase();
  const kind = KINDS.find(({ name, plural, short }) => [name, plural, short].includes(wanted));
  return kind?.nameOf === undefined ? NOTHING : { kind: 'names', of: kind };
}

interface Flag {
  readonly flag: string;
  readonly hasValue: boolean;
}

/** Reads the flags from the help, which lists each at the beginning of a line with its value: a second list would go stale. */
function flagsIn(help: string): Flag[] {
  return [...help.matchAll(/^ {2}(--[a-z][-a-z]*)( \S)?/gm)].map(([, flag = '', value]) => ({
    flag,
    hasValue: value !== undefined && value.trim() !== '',
  }));
}

function takesValue(word: string, flags: readonly Flag[]): boolean {
  if (word === '-l' || word === '-L') return true;
  return flags.some(({ flag, hasValue }) => flag === word && hasValue);
}

function positionals(words: readonly string[], flags: readonly Flag[]): string[] {
  const short = ['-w', '-o', '-l', '-L', '-f'];
  return words.filter((word, index) => {
    const before = words[index - 1] ?? '';
    return !word.startsWith('-') && !short.includes(before) && !takesValue(before, flags);
  });
}
