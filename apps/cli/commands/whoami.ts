import { helpText } from '#kit/config';
import { IdentitySchema } from '#protocol/api';
import { ApiClient } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';
import { type Command, EXIT } from '../command.ts';
import { configFilePath } from '../config-file/config-file.ts';
import { contextConnection } from '../login/context-connection.ts';
import { WHOAMI_SETTINGS } from '../login/login-settings.ts';
import { readSettings } from '../login/read-settings.ts';
import { renderData } from '../output/render-data.ts';
import { renderTable } from '../output/render-table.ts';

export const whoami: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift whoami [flags]',
      summary: 'Shows who the platform takes you for.',
      settings: WHOAMI_SETTINGS,
    }),
  async run(args, io, signal) {
    const { context: name, output } = readSettings(WHOAMI_SETTINGS, args, io);
    const connection = await contextConnection({ file: configFilePath(io.environment), name }, signal);
    if (connection === undefined) throw new ClientError('NO_TOKEN', 'nobody is logged in here; run: fleetshift login');
    const identity = await new ApiClient(connection).get(IdentitySchema, { path: ['access', 'identity'] }, signal);
    const { kind, id, groups } = identity;
    const row = [kind, id, groups.join(', ') || '-', connection.server.origin];
    io.out(output === 'table' ? renderTable(['KIND', 'ID', 'GROUPS', 'SERVER'], [row]) : renderData(output, identity));
    return EXIT.ok;
  },
};
