import type { Settings } from '#kit/config';

export interface SplitArguments {
  readonly positionals: readonly string[];
  /** The others, with what belongs to them. */
  readonly flags: readonly string[];
}

const SHORT: Readonly<Record<string, string>> = { '-o': '--output' };

/** Tells `show ID --history -o json` apart: which flags take a value is known from their settings. */
export function splitArguments(settings: Settings, args: readonly string[]): SplitArguments {
  const positionals: string[] = [];
  const flags: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (arg === '--') return { positionals: [...positionals, ...args.slice(index + 1)], flags };
    const flag = SHORT[arg] ?? arg;
    if (!flag.startsWith('--')) positionals.push(arg);
    else {
      flags.push(flag);
      const next = args[index + 1];
      if (takesValue(settings, flag) && next !== undefined && !next.startsWith('--')) flags.push(args[++index] ?? '');
    }
  }
  return { positionals, flags };
}

function takesValue(settings: Settings, flag: string): boolean {
  const name = flag.slice(2);
  return Object.hasOwn(settings, name) && settings[name]?.kind.toggle !== true;
}
