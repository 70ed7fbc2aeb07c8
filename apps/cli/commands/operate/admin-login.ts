import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { helpText, path, type Settings } from '#kit/config';
import { systemClock } from '#kit/std';
import { type Command, EXIT, UsageError } from '../../command.ts';
import { readSettings } from '../../login/read-settings.ts';

const SETTINGS = {
  data: {
    kind: path('FOLDER'),
    default: './.fleetshift',
    sentence: 'Data folder of the platform.',
    group: 'Platform',
    from: ['flag', 'environment'],
  },
} as const satisfies Settings;

export const adminLogin: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift admin-login [flags]',
      summary:
        'Creates a one-time login for the administrator. Requires write access to the data folder of the platform. The login is\nprinted once, expires after an hour, and replaces a previous one that was not used.',
      settings: SETTINGS,
    }),
  async run(args, io) {
    const { data } = readSettings(SETTINGS, args, io);
    const folder = resolve(data);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      throw new UsageError(`${folder} is not a data folder; name that of the platform with --data`);
    }
    // Loaded late: help needs no platform code.
    const { adminLoginText, leaveAdminCode } = await import('#contexts/identity/adapters');
    const { code } = leaveAdminCode(folder, systemClock.now());
    io.out(adminLoginText(code, undefined));
    return EXIT.ok;
  },
};
