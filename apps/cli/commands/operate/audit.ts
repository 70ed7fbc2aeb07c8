import { helpText, suggestion } from '#kit/config';
import { type Command, type ExitCode, type Io, UsageError } from '../../command.ts';
import { LIST_SETTINGS, listAudit } from './audit/list-audit.ts';
import { VERIFY_SETTINGS, verifyAuditCommand } from './audit/verify-audit.ts';

type Verb = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, Verb>> = { list: listAudit, verify: verifyAuditCommand };

const SUMMARY = `Shows the audit log of a platform and verifies that it is intact.

  list    performed and refused operations, newest first; asks a platform
  verify  checks the hash chain in the database of a platform on this machine, running or not;
          exits with 1 when an entry was changed, is missing or was swapped`;

export const audit: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift audit list|verify [flags]',
      summary: SUMMARY,
      settings: { ...LIST_SETTINGS, ...VERIFY_SETTINGS },
    }),
  async run([word, ...args], io, signal) {
    if (word === undefined) throw new UsageError(`missing action: one of ${Object.keys(VERBS).join(', ')}`);
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb !== undefined) return await verb(args, io, signal);
    const known = suggestion(word, Object.keys(VERBS));
    throw new UsageError(`unknown action "${word}"${known}\nsee: fleetshift audit --help`);
  },
};
