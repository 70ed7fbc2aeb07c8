import type { Settings } from '#kit/config';
import { UsageError } from '../command.ts';

export interface SplitArguments {
  readonly positionals: readonly string[];
  /** The flags with their values. */
  readonly flags: readonly string[];
}

/** Short flags, for commands that have the long one. */
const SHORT: Readonly<Record<string, string>> = {
  o: 'output',
  w: 'workspace',
  l: 'selector',
  L: 'label-columns',
  f: 'filename',
  A: 'all-workspaces',
};

/** Separates positional arguments from flags, as in `show ID --history -o json`. The settings tell which flags take a value. */
export function splitArguments(settings: Settings, args: readonly string[]): SplitArguments {
  const positionals: string[] = [];
  const flags: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (arg === '--') return { positionals: [...positionals, ...args.slice(index + 1)], flags };
    const flag = longForm(settings, arg);
    if (!flag.startsWith('--')) positionals.push(arg);
    else {
      flags.push(flag);
      const next = args[index + 1];
      if (takesValue(settings, flag) && next !== undefined && !next.startsWith('--')) flags.push(args[++index] ?? '');
    }
  }
  return { positionals, flags };
}

/** `-o json`, `-o=json` and `-ojson` mean `--output json`. A dash alone is standard input. */
function longForm(settings: Settings, arg: string): string {
  if (!arg.startsWith('-') || arg.startsWith('--') || arg === '-') return arg;
  const [, letter = '', value] = /^-(.)=?(.*)$/s.exec(arg) ?? [];
  const name = SHORT[letter];
  if (name === undefined || !Object.hasOwn(settings, name)) {
    const known = Object.entries(SHORT).filter(([, long]) => Object.hasOwn(settings, long));
    const list = known.map(([short, long]) => `-${short} (--${long})`).join(', ');
    throw new UsageError(`${arg}: unknown flag${list && `; short flags are ${list}`}`);
  }
  return value === '' ? `--${name}` : `--${name}=${value}`;
}

function takesValue(settings: Settings, flag: string): boolean {
  const name = flag.slice(2);
  return Object.hasOwn(settings, name) && settings[name]?.kind.toggle !== true;
}
