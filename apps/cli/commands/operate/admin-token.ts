import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { helpText, path, type Settings } from '#kit/config';
import { type Command, EXIT, UsageError } from '../../command.ts';
import { readSettings } from '../../login/read-settings.ts';

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
    sentence: 'File with the token; the same setting as for serve.',
    group: 'Platform',
    from,
  },
} as const satisfies Settings;

const SUMMARY = `Manages the static administrator token, on the machine of a platform.

  rotate  writes a new token into the file; the old one ends. A running platform accepts the new one
          within a second, without a restart. The audit log names each token by its id.`;

export const adminToken: Command = {
  help: () => helpText({ usage: 'fleetshift admin-token rotate [flags]', summary: SUMMARY, settings: SETTINGS }),
  async run([verb, ...args], io) {
    if (verb !== 'rotate') throw new UsageError('missing action: one of rotate');
    const { data, adminTokenFile } = readSettings(SETTINGS, args, io);
    const file = adminTokenFile === undefined ? join(resolve(data), 'admin-token') : resolve(adminTokenFile);
    if (!existsSync(file)) throw new UsageError(`no token in ${file}; name the data folder with --data`);
    // Loaded late: help needs no platform code.
    const { rotateAdminToken } = await import('#runtime/instance/admin-token');
    const { ended, begun } = rotateAdminToken(file);
    io.out(`new token written to ${file}\n`);
    io.err(`token ${ended} has ended; ${begun} replaces it\n`);
    return EXIT.ok;
  },
};
