import { helpText, type Settings } from '#kit/config';
import { PermittedResourcesSchema } from '#protocol/api';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, EXIT } from '../../command.ts';
import { printable } from '../../output/printable.ts';
import { allPages } from './all-pages.ts';
import { EXPECTS, permissionOf, subjectOf, WHO_SETTINGS } from './question.ts';

const SETTINGS = { ...WHO_SETTINGS, ...CLIENT_SETTINGS } as const satisfies Settings;

export const whereCanI: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift where-can-i PERMISSION | VERB KIND [flags]',
      summary:
        'Lists the resources on which you or another subject have the permission. Exits with 1 when there are none.',
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const { api, values, positionals } = readClientCommand({ settings: SETTINGS, ...EXPECTS }, args, io);
    const body = { permission: permissionOf(positionals), ...subjectOf(values) };
    const found = await allPages((which) => {
      const call = { path: ['access'], verb: 'lookupPermissions', body: { ...body, ...which } };
      return api.post(PermittedResourcesSchema, call, signal);
    });
    for (const { resource, attributes } of found) {
      const lines = [resource, ...attributes.map((set) => `  with ${JSON.stringify(set)}`)];
      io.out(`${lines.map(printable).join('\n')}\n`);
    }
    return found.length > 0 ? EXIT.ok : EXIT.failure;
  },
};
