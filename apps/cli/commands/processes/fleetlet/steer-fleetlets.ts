import { type TObject, Type } from 'typebox';
import { boolean, helpText, type Settings } from '#kit/config';
import { FleetletSchema } from '#protocol/api';
import { readClientCommand } from '../../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import { type Command, EXIT } from '../../../command.ts';
import { eachThing } from '../../../each-thing.ts';
import { confirm } from '../../../output/confirm.ts';
import { DRY_RUN_SETTING, inDryRun } from '../../dry-run-setting.ts';

const SETTINGS = {
  yes: {
    kind: boolean(),
    default: 'false',
    sentence: 'revoke: do not ask for confirmation.',
    group: 'Fleetlet',
    from: ['flag'],
  },
  ...DRY_RUN_SETTING,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

const ANSWER: TObject = Type.Object({ name: FleetletSchema.properties.name });

/** Asks for confirmation, because revocation is permanent. */
export const revokeFleetlets: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift fleetlet revoke NAME... [flags]',
      summary: 'Revokes fleetlets permanently: their sessions end, and their certificates are refused.',
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const { api, values, positionals } = readClientCommand(
      { settings: SETTINGS, expects: ['NAME'], more: true },
      args,
      io,
    );
    const { dryRun, yes } = values;
    const what = `Revoking ${positionals.join(', ')} is permanent: a revoked fleetlet has to enrol again.`;
    if (!(await confirm(io, { what, isAgreed: yes || dryRun }, signal))) return EXIT.failure;
    const tasks = positionals.map((name) => ({
      name: `fleetlet/${name}`,
      run: async () => {
        await api.post(ANSWER, { path: ['fleetlets', name], verb: 'revoke', query: dryRun ? { dryRun } : {} }, signal);
        io.out(`fleetlet/${name} revoked${inDryRun(dryRun)}\n`);
      },
    }));
    return await eachThing(tasks, io, signal);
  },
};

export const bindFleetlet = bindingCommand('bind', 'Lets a fleetlet serve one more target.', 'bound to');
export const unbindFleetlet = bindingCommand('unbind', 'Stops a fleetlet from serving a target.', 'unbound from');

function bindingCommand(verb: 'bind' | 'unbind', summary: string, done: string): Command {
  const settings = { ...DRY_RUN_SETTING, ...CLIENT_SETTINGS } as const satisfies Settings;
  return {
    help: () => helpText({ usage: `fleetshift fleetlet ${verb} NAME TARGET [flags]`, summary, settings }),
    async run(args, io, signal) {
      const { api, values, positionals } = readClientCommand({ settings, expects: ['NAME', 'TARGET'] }, args, io);
      const [name = '', target = ''] = positionals;
      const { dryRun } = values;
      const call = { path: ['fleetlets', name], verb, body: { target }, query: dryRun ? { dryRun } : {} };
      await api.post(ANSWER, call, signal);
      io.out(`fleetlet/${name} ${done} target/${target}${inDryRun(dryRun)}\n`);
      return EXIT.ok;
    },
  };
}
