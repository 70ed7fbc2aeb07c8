import { helpText, suggestion } from '#kit/config';
import { type Command, type ExitCode, type Io, UsageError } from '../command.ts';
import { LIST_SETTINGS, listAudit } from './audit/list-audit.ts';
import { VERIFY_SETTINGS, verifyAuditCommand } from './audit/verify-audit.ts';

type Verb = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, Verb>> = { list: listAudit, verify: verifyAuditCommand };

const SUMMARY = `Says who did what on a platform, and whether that is still what was written down.

  list    what was done and what was refused, the newest first; asks a platform
  verify  follows the hash chain in the database of a platform on this machine, running or not;
          ends with 1 when something was changed, is missing or was swapped`;

export const audit: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift audit list|verify [flags]',
      summary: SUMMARY,
      settings: { ...LIST_SETTINGS, ...VERIFY_SETTINGS },
    }),
  async run([word, ...args], io, signal) {
    if (word === undefined) throw new UsageError(`say what to do: ${Object.keys(VERBS).join(', ')}`);
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb !== undefined) return await verb(args, io, signal);
    const known = suggestion(word, Object.keys(VERBS));
    throw new UsageError(`"${word}" cannot be done with the audit log${known}\nfleetshift audit --help lists what can`);
  },
};
