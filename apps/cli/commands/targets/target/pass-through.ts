import { boolean, type Settings, text } from '#kit/config';
import { TargetPassthroughSchema } from '#protocol/api';
import { readClientCommand } from '../../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import { EXIT, type ExitCode, type Io, UsageError } from '../../../command.ts';

const group = 'passthrough';
const from = ['flag'] as const;

export const PASSTHROUGH_SETTINGS = {
  issuer: { kind: text('NAME'), sentence: 'The issuer that signs the tokens.', group, from },
  audience: { kind: text('AUDIENCE'), sentence: "The audience of the tokens: the cluster's own.", group, from },
  clear: { kind: boolean(), default: 'false', sentence: 'Stop passing tokens through.', group, from },
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

/** Sets which tokens are passed on unchanged to the API server of a target. */
export async function passThrough(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const command = readClientCommand({ settings: PASSTHROUGH_SETTINGS, expects: ['NAME'] }, args, io);
  const { api, values, positionals } = command;
  const [name = ''] = positionals;
  const { issuer, audience, clear } = values;
  const path = ['targets', name, 'passthrough'];
  if (clear) {
    if (issuer !== undefined || audience !== undefined) throw new UsageError('use --issuer and --audience, or --clear');
    await api.delete({ path }, signal);
    io.out(`target/${name} passes no tokens through\n`);
    return EXIT.ok;
  }
  if (issuer === undefined || audience === undefined) throw new UsageError('use --issuer and --audience, or --clear');
  await api.put(TargetPassthroughSchema, { path, body: { issuer, audience } }, signal);
  io.out(`target/${name} passes tokens of ${issuer} for ${audience} through\n`);
  return EXIT.ok;
}
