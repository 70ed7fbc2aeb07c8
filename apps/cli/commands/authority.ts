import { boolean, helpText, oneOf, type Settings, suggestion, text } from '#kit/config';
import { CertificateAuthoritiesSchema } from '#protocol/api';
import { readClientCommand } from '../client/client-command.ts';
import { CLIENT_SETTINGS } from '../client/client-settings.ts';
import { type Command, EXIT, type ExitCode, type Io, UsageError } from '../command.ts';
import { timeCell } from '../kinds/cells.ts';
import { confirm } from '../output/confirm.ts';
import { OUTPUT_FORMATS, renderData } from '../output/render-data.ts';
import { renderTable } from '../output/render-table.ts';
import { DRY_RUN_SETTING, inDryRun } from './dry-run-setting.ts';

const from = ['flag'] as const;

const SETTINGS = {
  output: {
    kind: oneOf(['table', 'json', 'yaml', 'pem'] as const satisfies readonly [...typeof OUTPUT_FORMATS, 'pem']),
    default: 'table',
    sentence: 'show: how to print it; -o for short. pem prints the certificates of all that count now.',
    group: 'Authority',
    from,
  },
  lead: {
    kind: text('DURATION'),
    unset: '10m',
    sentence: 'rotate: how long the new one is only made known before it issues.',
    group: 'Authority',
    from,
  },
  overlap: {
    kind: text('DURATION'),
    unset: 'until no certificate of it can be renewed',
    sentence: 'rotate: how long after that the old one is still trusted. With 0s every fleetlet has to enrol anew.',
    group: 'Authority',
    from,
  },
  yes: { kind: boolean(), default: 'false', sentence: 'rotate: go on without being asked.', group: 'Authority', from },
  ...DRY_RUN_SETTING,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

type AuthorityCommand = ReturnType<typeof readClientCommand<typeof SETTINGS>> & { readonly io: Io };
type Verb = (command: AuthorityCommand, signal: AbortSignal) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, Verb>> = { show, rotate };

const SUMMARY = `Looks after the authorities that vouch for fleetlets.

  show    which there are, and how they stand
  rotate  makes a new one; fleetlets get certificates of it by and by`;

export const authority: Command = {
  help: () => helpText({ usage: 'fleetshift authority show|rotate [flags]', summary: SUMMARY, settings: SETTINGS }),
  async run([word, ...args], io, signal) {
    if (word === undefined) throw new UsageError(`say what to do: ${Object.keys(VERBS).join(', ')}`);
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb !== undefined) {
      return await verb({ ...readClientCommand({ settings: SETTINGS, expects: [] }, args, io), io }, signal);
    }
    const known = suggestion(word, Object.keys(VERBS));
    throw new UsageError(
      `"${word}" cannot be done with authorities${known}\nfleetshift authority --help lists what can`,
    );
  },
};

const PATH = ['certificate-authority'];

async function show({ api, values, io }: AuthorityCommand, signal: AbortSignal): Promise<ExitCode> {
  const shown = await api.get(CertificateAuthoritiesSchema, { path: PATH }, signal);
  const { output } = values;
  if (output === 'pem') io.out(shown.bundle);
  else if (output === 'table') io.out(tableOf(shown.authorities));
  else io.out(renderData(output, shown));
  return EXIT.ok;
}

async function rotate({ api, values, io }: AuthorityCommand, signal: AbortSignal): Promise<ExitCode> {
  const { lead, overlap, yes, dryRun } = values;
  const what =
    overlap === undefined
      ? 'A new authority will vouch for fleetlets, and each of them will get a certificate of it.'
      : `A new authority will vouch for fleetlets. Who has no certificate of it ${overlap} after it began has to enrol anew.`;
  if (!(await confirm(io, { what, isAgreed: yes || dryRun }, signal))) return EXIT.failure;
  const body = { ...(lead === undefined ? {} : { lead }), ...(overlap === undefined ? {} : { overlap }) };
  const call = { path: PATH, verb: 'rotate', body, query: dryRun ? { dryRun } : {} };
  const { authorities } = await api.post(CertificateAuthoritiesSchema, call, signal);
  io.out(tableOf(authorities));
  io.err(`the authority is rotated${inDryRun(dryRun)}\n`);
  return EXIT.ok;
}

interface Shown {
  readonly name: string;
  readonly state: string;
  readonly issueTime: string;
  readonly retireTime?: string;
  readonly notAfter: string;
  readonly fingerprint: string;
}

function tableOf(authorities: readonly Shown[]): string {
  const rows = authorities.map(({ name, state, issueTime, retireTime, notAfter, fingerprint }) => [
    name,
    state,
    timeCell(issueTime),
    timeCell(retireTime ?? notAfter),
    fingerprint,
  ]);
  return renderTable(['NAME', 'STATE', 'ISSUES FROM', 'TRUSTED UNTIL', 'SHA-256'], rows);
}
