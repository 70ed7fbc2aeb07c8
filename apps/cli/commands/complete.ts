import type { Settings } from '#kit/config';
import { readClientCommand } from '../client/client-command.ts';
import { CLIENT_SETTINGS } from '../client/client-settings.ts';
import { type Command, type CommandEntry, EXIT, type Io } from '../command.ts';
import { type Candidates, candidatesFor } from '../completion/candidates.ts';
import { configFilePath, readConfigFile } from '../config-file/config-file.ts';
import type { Kind } from '../kinds/kind.ts';
import { PLACE_SETTINGS, placeOf } from '../kinds/place.ts';
import { readList } from '../kinds/read-list.ts';

const { workspace, target, 'service-account': serviceAccount, deployment } = PLACE_SETTINGS;
const SETTINGS = {
  workspace,
  target,
  'service-account': serviceAccount,
  deployment,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

/** A user is waiting for the completion. */
const NAMES_MS = 2_000;
const MOST_NAMES = 500;

const HELP = `Usage: fleetshift __complete -- WORD...

Called by shells: prints the candidates for the last word, one per line.
`;

export function completeAmong(commands: readonly CommandEntry[]): Command {
  const names = [...commands.filter(({ hidden }) => !hidden).map(({ name }) => name), 'help'];
  const load = async (name: string) => await commands.find((entry) => entry.name === name)?.load();
  return {
    help: () => HELP,
    async run(args, io, signal) {
      const words = args[0] === '--' ? args.slice(1) : args;
      const last = words.at(-1) ?? '';
      try {
        const candidates = await candidatesFor({ words, commands: names, load });
        const found = await wordsOf(candidates, { words, io }, signal);
        for (const word of found.filter((each) => each.startsWith(last))) io.out(`${word}\n`);
      } catch {
        // Errors are silent here: the completed command itself reports what is wrong.
      }
      return EXIT.ok;
    },
  };
}

interface Asking {
  readonly words: readonly string[];
  readonly io: Io;
}

async function wordsOf(candidates: Candidates, asking: Asking, signal: AbortSignal): Promise<readonly string[]> {
  switch (candidates.kind) {
    case 'words':
      return candidates.words;
    case 'contexts':
      return readConfigFile(configFilePath(asking.io.environment)).contexts.map(({ name }) => name);
    case 'names':
      return await namesOf(candidates.of, asking, AbortSignal.any([signal, AbortSignal.timeout(NAMES_MS)]));
  }
}

/** At the place that the words so far select. */
async function namesOf(kind: Kind, { words, io }: Asking, signal: AbortSignal): Promise<string[]> {
  const { api, values, contextWorkspace } = readClientCommand(
    { settings: SETTINGS, expects: [] },
    placeFlags(words),
    io,
  );
  const said = Object.entries({ ...values }).filter(([flag]) => takesFlag(kind, flag));
  const place = placeOf(kind, Object.fromEntries(said), contextWorkspace);
  const { items } = await readList(api, { kind, place, limit: MOST_NAMES }, signal);
  return items.map((item) => kind.nameOf?.(item) ?? '');
}

function takesFlag({ takes }: Kind, flag: string): boolean {
  return takes.some((each) => each === (flag === 'serviceAccount' ? 'service-account' : flag));
}

/** The flags so far that select the platform and the place, without the word that is being completed. */
function placeFlags(words: readonly string[]): string[] {
  const known = ['-w', ...Object.keys(SETTINGS).map((name) => `--${name}`)];
  const done = words.slice(0, -1);
  return done.flatMap((word, index) => {
    const value = done[index + 1];
    return known.includes(word) && value !== undefined ? [word, value] : [];
  });
}
