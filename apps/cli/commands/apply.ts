import { boolean, helpText, listOf, path, type Settings } from '#kit/config';
import { applyDocuments } from '../apply/apply-documents.ts';
import { checkDocuments } from '../apply/check-documents.ts';
import { readDocuments } from '../apply/read-documents.ts';
import { readClientCommand } from '../client/client-command.ts';
import { CLIENT_SETTINGS } from '../client/client-settings.ts';
import { type Command, UsageError } from '../command.ts';
import { PLACE_SETTINGS } from '../kinds/place.ts';

const group = 'Documents';
const from = ['flag'] as const;

const SETTINGS = {
  filename: {
    kind: listOf(path()),
    default: '',
    sentence: 'Files, folders with .yaml, .yml and .json files, or - for standard input; -f for short.',
    group,
    from,
  },
  'dry-run': {
    kind: boolean(),
    default: 'false',
    sentence: 'Say what would be done, and do nothing.',
    group,
    from,
  },
  workspace: PLACE_SETTINGS.workspace,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

const SUMMARY = `Makes things what documents say: creates what is not there, and changes what is different.

  kind: Workspace            # or Target, Deployment, Grant, ServiceAccount, Issuer, PermissionSchema
  name: web
  spec:                      # the fields that the API takes to make one
    kind: project
    parent: shop
    labels: { team: web }

Targets, deployments, grants and service accounts also say beside the spec which workspace they are in, unless -w or the
context does: "workspace: web"; a grant may say "target: NAME" instead. A field that a document names becomes just what it says
there, so that labels which it does not list are removed; null removes a field. Fields that it does not name stay as they
are. Everything is checked before anything is sent. What others stand on comes first, whatever the order of the documents.
"fleetshift get KIND -o manifest" writes such documents.`;

export const apply: Command = {
  help: () => helpText({ usage: 'fleetshift apply -f FILE [flags]', summary: SUMMARY, settings: SETTINGS }),
  async run(args, io, signal) {
    const { api, values, contextWorkspace } = readClientCommand({ settings: SETTINGS, expects: [] }, args, io);
    const { filename, dryRun, workspace } = values;
    if (filename.length === 0) throw new UsageError('say what to apply: -f FILE, -f FOLDER or -f -');
    const documents = await checkDocuments(readDocuments(filename), { said: workspace, meant: contextWorkspace });
    if (documents.length === 0) throw new UsageError('there is no document in it');
    return await applyDocuments({ api, documents, dryRun, io }, signal);
  },
};
