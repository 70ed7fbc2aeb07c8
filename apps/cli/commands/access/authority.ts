import { boolean, helpText, oneOf, type Settings, suggestion, text } from '#kit/config';
import { CertificateAuthoritiesSchema } from '#protocol/api';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, EXIT, type ExitCode, type Io, UsageError } from '../../command.ts';
import { timeCell } from '../../kinds/cells.ts';
import { confirm } from '../../output/confirm.ts';
import { OUTPUT_FORMATS, renderData } from '../../output/render-data.ts';
import { renderTable } from '../../output/render-table.ts';
import { DRY_RUN_SETTING, inDryRun } from '../dry-run-setting.ts';

const from = ['flag'] as const;

const SETTINGS = {
  output: {
    kind: oneOf(['table', 'json', 'yaml', 'pem'] as const satisfies readonly [...typeof OUTPUT_FORMATS, 'pem']),
    default: 'table',
    sentence: 'show: output format; -o for short. pem prints the certificates of all trusted authorities.',
    group: 'Authority',
    from,
  },
  lead: {
    kind: text('DURATION'),
    unset: '10m',
    sentence: 'rotate: how long the new authority is published before it issues certificates.',
    group: 'Authority',
    from,
  },
  overlap: {
    kind: text('DURATION'),
    unset: 'until its last certificate can no longer be renewed',
    sentence: 'rotate: how long the old authority stays trusted after that. With 0s every fleetlet has to enrol again.',
    group: 'Authority',
    from,
  },
  yes: {
    kind: boolean(),
    default: 'false',
    sentence: 'rotate: do not ask for confirmation.',
    group: 'Authority',
    from,
  },
  ...DRY_RUN_SETTING,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

type AuthorityCommand = ReturnType<typeof readClientCommand<typeof SETTINGS>> & { readonly io: Io };
type Verb = (command: AuthorityCommand, signal: AbortSignal) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, Verb>> = { show, rotate };

const SUMMARY = `Manages the certificate authorities of fleetlets.

  show    lists them with their states
  rotate  creates a new one; fleetlets get new certificates gradually`;

export const authority: Command = {
  help: () => helpText({ usage: 'fleetshift authority show|rotate [flags]', summary: SUMMARY, settings: SETTINGS }),
  async run([word, ...args], io, signal) {
    if (word === undefined) throw new UsageError(`missing action: one of ${Object.keys(VERBS).join(', ')}`);
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb !== undefined) {
      return await verb({ ...readClientCommand({ settings: SETTINGS, expects: [] }, args, io), io }, signal);
    }
    const known = suggestion(word, Object.keys(VERBS));
    throw new UsageError(`unknown action "${word}"${known}\nsee: fleetshift authority --help`);
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
      ? 'A new authority will be created, and every fleetlet will get a certificate from it.'
      : `A new authority will be created. Fleetlets without a certificate from it ${overlap} after it starts issuing have to enrol again.`;
  if (!(await confirm(io, { what, isAgreed: yes || dryRun }, signal))) return EXIT.failure;
  const body = { ...(lead === undefined ? {} : { lead }), ...(overlap === undefined ? {} : { overlap }) };
  const call = { path: PATH, verb: 'rotate', body, query: dryRun ? { dryRun } : {} };
  const { authorities } = await api.post(CertificateAuthoritiesSchema, call, signal);
  io.out(tableOf(authorities));
  io.err(`authority rotated${inDryRun(dryRun)}\n`);
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
