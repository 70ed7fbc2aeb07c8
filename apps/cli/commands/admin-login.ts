import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { helpText, path, type Settings } from '#kit/config';
import { systemClock } from '#kit/std';
import { type Command, EXIT, UsageError } from '../command.ts';
import { readSettings } from '../login/read-settings.ts';

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
        'Makes a one-time login of the administrator, for whoever may write into the data folder of a platform. It is shown\nhere and nowhere else, ends after an hour, and takes the place of one that was not used.',
      settings: SETTINGS,
    }),
  async run(args, io) {
    const { data } = readSettings(SETTINGS, args, io);
    const folder = resolve(data);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      throw new UsageError(`${folder} is no data folder; say where that of the platform is with --data`);
    }
    // Only now: help needs nothing of the platform.
    const { adminLoginText, leaveAdminCode } = await import('#contexts/identity/adapters');
    const { code } = leaveAdminCode(folder, systemClock.now());
    io.out(adminLoginText(code, undefined));
    return EXIT.ok;
  },
};
