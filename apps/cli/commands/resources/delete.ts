import { boolean, helpText, listOf, path, type Settings } from '#kit/config';
import { applyOrder } from '../../apply/apply-order.ts';
import { checkDocuments } from '../../apply/check-documents.ts';
import { readDocuments } from '../../apply/read-documents.ts';
import type { ApiClient, Call } from '../../client/api-client.ts';
import { readClientCommand } from '../../client/client-command.ts';
import { ClientError } from '../../client/client-error.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, UsageError } from '../../command.ts';
import { eachThing } from '../../each-thing.ts';
import { kindsHelp } from '../../kinds/kinds.ts';
import { PLACE_SETTINGS, type Place, placeOf } from '../../kinds/place.ts';
import { pathOf } from '../../kinds/read-one.ts';
import { someThings, type Thing } from '../../kinds/things.ts';
import { confirm } from '../../output/confirm.ts';

const group = 'Which and how';
const from = ['flag'] as const;
const { workspace, target, 'service-account': serviceAccount } = PLACE_SETTINGS;

const SETTINGS = {
  filename: {
    kind: listOf(path()),
    default: '',
    sentence: 'Delete the resources in these files, folders or - for standard input, in reverse order; -f for short.',
    group,
    from,
  },
  'dry-run': {
    kind: boolean(),
    default: 'false',
    sentence: 'Check whether the resource can be deleted, without deleting it.',
    group,
    from,
  },
  'ignore-not-found': {
    kind: boolean(),
    default: 'false',
    sentence: 'Treat a missing resource as deleted.',
    group,
    from,
  },
  yes: {
    kind: boolean(),
    default: 'false',
    sentence: 'Do not ask before a target is deleted that deployments are on. Required for that without a terminal.',
    group,
    from,
  },
  workspace,
  target,
  'service-account': serviceAccount,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

export const deleteThings: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift delete KIND NAME... | KIND/NAME... | -f FILE [flags]',
      summary: `Deletes the named resources. A failure does not stop the others.\n\n${kindsHelp(({ deletable }) => deletable === true)}`,
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const command = readClientCommand({ settings: SETTINGS, expects: [], more: true }, args, io);
    const { api, values } = command;
    const { dryRun, ignoreNotFound, yes } = values;
    const tasks = (await placedThings(command)).map((thing) => {
      const name = `${thing.kind.name}/${thing.name}`;
      const run = async (): Promise<void> => {
        try {
          const call = { path: pathOf(thing, thing.place), query: dryRun ? { dryRun } : {} };
          const agree = (what: string) => confirm(io, { what, isAgreed: yes }, signal);
          const state = await deleteInUse(api, call, dryRun && !yes ? undefined : agree, signal);
          if (state === 'kept') return io.err(`${name} not deleted\n`);
          io.out(`${name} ${state === 'gone' ? 'deleted' : 'is being deleted'}${dryRun ? ' (dry run)' : ''}\n`);
        } catch (error) {
          const isMissing = error instanceof ClientError && error.code === 'NOT_FOUND';
          if (!isMissing || !ignoreNotFound) throw error;
        }
      };
      return { name, run };
    });
    return await eachThing(tasks, io, signal);
  },
};

type Agree = (what: string) => Promise<boolean>;

/** The platform refuses to delete a target that is in use until the user has seen what is on it. */
async function deleteInUse(
  api: ApiClient,
  call: Call,
  agree: Agree | undefined,
  signal: AbortSignal,
): Promise<'gone' | 'going' | 'kept'> {
  try {
    return await api.delete(call, signal);
  } catch (error) {
    const isInUse = error instanceof ClientError && error.details['problem'] === 'targetInUse';
    if (!isInUse || agree === undefined) throw error;
    if (!(await agree(error.message))) return 'kept';
    return await api.delete({ ...call, query: { ...call.query, force: true } }, signal);
  }
}

type Delete = ReturnType<typeof readClientCommand<typeof SETTINGS>>;

type PlacedThing = Thing & { readonly place: Place };

async function placedThings({ values, positionals, contextWorkspace }: Delete): Promise<PlacedThing[]> {
  if (values.filename.length === 0) {
    const [kind] = positionals;
    if (kind === undefined) throw new UsageError('nothing to delete: name a kind and names, or use -f FILE');
    return someThings(positionals, 'delete').map((thing) => {
      if (!thing.kind.deletable) throw new UsageError(`${thing.kind.plural} cannot be deleted`);
      return { ...thing, place: placeOf(thing.kind, values, contextWorkspace) };
    });
  }
  if (positionals.length > 0) throw new UsageError('names and --filename: choose one');
  const workspaces = { said: values.workspace, meant: contextWorkspace };
  return applyOrder(await checkDocuments(readDocuments(values.filename), workspaces)).reverse();
}
