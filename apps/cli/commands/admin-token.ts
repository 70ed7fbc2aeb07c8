import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { helpText, path, type Settings } from '#kit/config';
import { type Command, EXIT, UsageError } from '../command.ts';
import { readSettings } from '../login/read-settings.ts';

const from = ['flag', 'environment'] as const;

const SETTINGS = {
  data: {
    kind: path('FOLDER'),
    default: './.fleetshift',
    sentence: 'Data folder of the platform.',
    group: 'Platform',
    from,
  },
  'admin-token-file': {
    kind: path(),
    unset: '<data>/admin-token',
    sentence: 'File with the token, where serve has the same setting.',
    group: 'Platform',
    from,
  },
} as const satisfies Settings;

const SUMMARY = `Looks after the static token of the administrator, on the machine of a platform.

  rotate  writes a new token into the file; the old one ends. A platform that runs takes the new one
          within a second, without a restart. The audit log names each token by its id.`;

export const adminToken: Command = {
  help: () => helpText({ usage: 'fleetshift admin-token rotate [flags]', summary: SUMMARY, settings: SETTINGS }),
  async run([verb, ...args], io) {
    if (verb !== 'rotate') throw new UsageError('say what to do: rotate');
    const { data, adminTokenFile } = readSettings(SETTINGS, args, io);
    const file = adminTokenFile === undefined ? join(resolve(data), 'admin-token') : resolve(adminTokenFile);
    if (!existsSync(file)) throw new UsageError(`there is no token in ${file}; say where the platform is with --data`);
    // Only now: help needs nothing of the platform.
    const { rotateAdminToken } = await import('../../platform/admin-token.ts');
    const { ended, begun } = rotateAdminToken(file);
    io.out(`${file} holds a new token\n`);
    io.err(`token ${ended} has ended, ${begun} takes its place\n`);
    return EXIT.ok;
  },
};
