import { helpText, suggestion } from '#kit/config';
import { type Command, type ExitCode, type Io, UsageError } from '../command.ts';
import { LIST_SETTINGS, listKeys } from './keys/list-keys.ts';
import { ROTATE_SETTINGS, rotateKeys } from './keys/rotate-keys.ts';

type Verb = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, Verb>> = { list: listKeys, rotate: rotateKeys };

const SUMMARY = `Looks after the keys that the secrets of a platform on this machine are sealed with. Works while it runs.

  list    the keys, the newest last
  rotate  makes a new key, brings everything under it, and drops old ones that nothing is under`;

export const keys: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift keys list|rotate [flags]',
      summary: SUMMARY,
      settings: { ...ROTATE_SETTINGS, ...LIST_SETTINGS },
    }),
  async run([word, ...args], io, signal) {
    if (word === undefined) throw new UsageError(`say what to do: ${Object.keys(VERBS).join(', ')}`);
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb !== undefined) return await verb(args, io, signal);
    const known = suggestion(word, Object.keys(VERBS));
    throw new UsageError(`"${word}" cannot be done with keys${known}\nfleetshift keys --help lists what can`);
  },
};
