import { helpText, suggestion } from '#kit/config';
import { type Command, type ExitCode, type Io, UsageError } from '../../command.ts';
import { LIST_SETTINGS, listKeys } from './keys/list-keys.ts';
import { ROTATE_SETTINGS, rotateKeys } from './keys/rotate-keys.ts';

type Verb = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, Verb>> = { list: listKeys, rotate: rotateKeys };

const SUMMARY = `Manages the keys that encrypt the secrets of a platform on this machine. Works while it is running.

  list    lists the keys, newest last
  rotate  creates a new key, re-encrypts everything with it, and drops old keys that are no longer in use`;

export const keys: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift keys list|rotate [flags]',
      summary: SUMMARY,
      settings: { ...ROTATE_SETTINGS, ...LIST_SETTINGS },
    }),
  async run([word, ...args], io, signal) {
    if (word === undefined) throw new UsageError(`missing action: one of ${Object.keys(VERBS).join(', ')}`);
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb !== undefined) return await verb(args, io, signal);
    const known = suggestion(word, Object.keys(VERBS));
    throw new UsageError(`unknown action "${word}"${known}\nsee: fleetshift keys --help`);
  },
};
