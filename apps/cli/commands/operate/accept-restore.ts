import { boolean, oneOf, type Settings } from '#kit/config';
import { InstanceSchema } from '#protocol/api';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { EXIT, type ExitCode, type Io } from '../../command.ts';

const from = ['flag'] as const;

export const ACCEPT_SETTINGS = {
  'targets-ahead': {
    kind: oneOf(['hold', 'go-back']),
    default: 'hold',
    sentence:
      'What becomes of targets that got later revisions than the backup has: hold leaves what runs there, as a Conflict of the deployment; go-back delivers what the backup has, for 24 hours.',
    group: 'accept',
    from,
  },
  'dry-run': {
    kind: boolean(),
    default: 'false',
    sentence: 'Check whether there is a restore to accept, without doing it.',
    group: 'accept',
    from,
  },
} as const satisfies Settings;

const SETTINGS = { ...ACCEPT_SETTINGS, ...CLIENT_SETTINGS } as const satisfies Settings;

/** Takes the fleet over, at the restored platform. */
export async function acceptRestore(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { api, values } = readClientCommand({ settings: SETTINGS, expects: [] }, args, io);
  const { dryRun } = values;
  const body = { targetsAhead: values.targetsAhead === 'go-back' ? 'goBack' : 'hold' };
  const request = { path: ['instance'], verb: 'acceptRestore', body, ...(dryRun ? { query: { dryRun } } : {}) };
  const { incarnationId } = await api.post(InstanceSchema, request, signal);
  io.err(
    dryRun ? 'the restore can be accepted\n' : `restore accepted: incarnation ${incarnationId} takes the fleet over\n`,
  );
  return EXIT.ok;
}
