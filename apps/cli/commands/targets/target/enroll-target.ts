import { integer, oneOf, type Settings, text } from '#kit/config';
import { MintedBootstrapTokenSchema } from '#protocol/api';
import { readClientCommand } from '../../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import { EXIT, type ExitCode, type Io } from '../../../command.ts';
import { bootstrapTokenKind } from '../../../kinds/access/bootstrap-token-kind.ts';
import { PLACE_SETTINGS, placeOf } from '../../../kinds/place.ts';
import { OUTPUT_FORMATS, renderData } from '../../../output/render-data.ts';
import { renderTime } from '../../../output/render-time.ts';
import { DRY_RUN_SETTING } from '../../dry-run-setting.ts';
import { fleetletCommand } from './fleetlet-command.ts';

const group = 'enroll';
const from = ['flag'] as const;

export const ENROLL_SETTINGS = {
  type: { kind: text('TYPE'), default: 'directory', sentence: 'The type of the targets.', group, from },
  uses: {
    kind: integer({ min: 1, max: 10_000 }),
    default: '1',
    sentence: 'How many machines may enrol with the token.',
    group,
    from,
  },
  ttl: { kind: text('DURATION'), unset: '1h', sentence: 'How long the token is valid, up to 30d.', group, from },
  name: { kind: text('NAME'), unset: 'generated', sentence: 'The name of the token.', group, from },
  correlation: {
    kind: text('TEXT'),
    sentence: 'The value of the label fleetshift.io/correlation on the targets.',
    group,
    from,
  },
  output: {
    kind: oneOf(OUTPUT_FORMATS),
    default: 'table',
    sentence: 'Output format; -o for short. table prints only the command.',
    group,
    from,
  },
  ...DRY_RUN_SETTING,
  workspace: PLACE_SETTINGS.workspace,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

/** Standard output contains only the command, so that a script can pass it on. */
export async function enrollTarget(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const command = readClientCommand({ settings: ENROLL_SETTINGS, expects: [], more: true }, args, io);
  const { api, values, positionals: targets, contextWorkspace } = command;
  const { type, uses, ttl, name, correlation, output, dryRun, caFile } = values;
  const place = placeOf(bootstrapTokenKind, { workspace: values.workspace }, contextWorkspace);
  const body = {
    uses,
    targetType: type,
    ...(targets.length === 0 ? {} : { targets }),
    ...(ttl === undefined ? {} : { ttl }),
    ...(name === undefined ? {} : { name }),
    ...(correlation === undefined ? {} : { correlation }),
  };
  const call = { path: bootstrapTokenKind.list(place).path, body, query: dryRun ? { dryRun } : {} };
  const minted = await api.post(MintedBootstrapTokenSchema, call, signal);
  if (dryRun) {
    io.err('a bootstrap token can be created (dry run)\n');
    return EXIT.ok;
  }
  const platform = new URL(await api.origin(signal));
  const line = fleetletCommand({ platform, token: minted.token, targets, type, caFile });
  if (output !== 'table') io.out(renderData(output, { ...minted, command: line }));
  else {
    io.out(`${line}\n`);
    io.err(
      `bootstraptoken/${minted.name} created; run the command on ${uses === 1 ? 'the machine' : `up to ${uses} machines`}.\n`,
    );
    io.err(`It expires ${renderTime(minted.expireTime)}, and is not shown again.\n`);
  }
  return EXIT.ok;
}
