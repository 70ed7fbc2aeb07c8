import { helpText } from '#kit/config';
import { IdentitySchema } from '#protocol/api';
import { readClientCommand } from '../../client/client-command.ts';
import { type Command, EXIT } from '../../command.ts';
import { WHOAMI_SETTINGS } from '../../login/login-settings.ts';
import { renderData } from '../../output/render-data.ts';
import { renderTable } from '../../output/render-table.ts';

export const whoami: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift whoami [flags]',
      summary: 'Shows the current identity.',
      settings: WHOAMI_SETTINGS,
    }),
  async run(args, io, signal) {
    const { api, values } = readClientCommand({ settings: WHOAMI_SETTINGS, expects: [] }, args, io);
    const identity = await api.get(IdentitySchema, { path: ['access', 'identity'] }, signal);
    if (values.output !== 'table') {
      io.out(renderData(values.output, identity));
      return EXIT.ok;
    }
    const { kind, id, groups } = identity;
    const row = [kind, id, groups.join(', ') || '-', await api.origin(signal)];
    io.out(renderTable(['KIND', 'ID', 'GROUPS', 'SERVER'], [row]));
    return EXIT.ok;
  },
};
