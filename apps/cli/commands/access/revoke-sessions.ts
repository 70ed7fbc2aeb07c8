import { helpText } from '#kit/config';
import { RevokedSessionsSchema } from '#protocol/api';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, EXIT } from '../../command.ts';

export const revokeSessions: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift revoke-sessions USER [flags]',
      summary:
        'Logs a user out everywhere: ends all sessions and all tokens that issuers have issued so far. Grants stay,\nand the user can log in again.',
      settings: CLIENT_SETTINGS,
    }),
  async run(args, io, signal) {
    const { api, positionals } = readClientCommand({ settings: CLIENT_SETTINGS, expects: ['USER'] }, args, io);
    const [user] = positionals;
    const call = { path: ['sessions'], verb: 'revoke', body: { user } };
    const { sessions } = await api.post(RevokedSessionsSchema, call, signal);
    io.out(`user/${user} logged out everywhere: ${sessions === 1 ? '1 session' : `${sessions} sessions`} ended\n`);
    return EXIT.ok;
  },
};
