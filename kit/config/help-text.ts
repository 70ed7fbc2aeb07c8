import { mayComeFrom, type Setting, type Settings, variableOf } from './setting.ts';

export interface HelpOptions {
  readonly usage: string;
  readonly summary: string;
  readonly settings: Settings;
}

const WIDTH = 100;
/** A longer flag gets a line of its own. */
const WIDEST_FLAG = 30;

/** The output of `--help`: the settings by group, in the order of their declaration. */
export function helpText({ usage, summary, settings }: HelpOptions): string {
  const flags = Object.entries(settings).map(([name, setting]) => flagColumn(name, setting));
  const column = Math.max(...flags.map((flag) => flag.length).filter((length) => length <= WIDEST_FLAG)) + 4;
  const blocks = [...byGroup(settings)].map(([group, members]) => {
    const rows = members.map(([name, setting]) => row(flagColumn(name, setting), describe(name, setting), column));
    return [`${group}:`, ...rows].join('\n');
  });
  const order =
    'A flag overrides its environment variable, the variable overrides the file, and the file overrides the default.';
  return `${[`Usage: ${usage}`, summary, ...blocks, order].join('\n\n')}\n`;
}

/** The settings by group, for every page that lists them. */
export function byGroup(settings: Settings): Map<string, [string, Setting][]> {
  return Map.groupBy(Object.entries(settings), ([, setting]) => setting.group);
}

function flagColumn(name: string, { kind }: Setting): string {
  return kind.placeholder === '' ? `--${name}` : `--${name} ${kind.placeholder}`;
}

function describe(name: string, setting: Setting): string {
  const notes = [];
  const shown = setting.default ?? setting.unset;
  if (shown && !setting.kind.toggle) notes.push(`default ${shown}`);
  if (mayComeFrom(setting, 'environment')) notes.push(variableOf(name, setting));
  return notes.length === 0 ? setting.sentence : `${setting.sentence} [${notes.join('; ')}]`;
}

function row(flag: string, description: string, column: number): string {
  const lines = wrap(description, WIDTH - column);
  const first = flag.length <= WIDEST_FLAG ? `  ${flag}`.padEnd(column) + lines.shift() : `  ${flag}`;
  return [first, ...lines.map((line) => ' '.repeat(column) + line)].join('\n');
}

function wrap(sentence: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
