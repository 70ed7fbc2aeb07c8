import { boolean, helpText, listOf, path, type Settings } from '#kit/config';
import { applyDocuments } from '../../apply/apply-documents.ts';
import { checkDocuments } from '../../apply/check-documents.ts';
import { readDocuments } from '../../apply/read-documents.ts';
import { readClientCommand } from '../../client/client-command.ts';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { type Command, UsageError } from '../../command.ts';
import { PLACE_SETTINGS } from '../../kinds/place.ts';

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
    sentence: 'Show what would change, without changing anything.',
    group,
    from,
  },
  workspace: PLACE_SETTINGS.workspace,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

const SUMMARY = `Applies documents: creates missing resources and changes those that differ.

  kind: Workspace            # or Target, Deployment, Grant, ServiceAccount, Issuer, PermissionSchema
  name: web
  spec:                      # the fields of a create in the API
    kind: project
    parent: shop
    labels: { team: web }

Targets, deployments, grants and service accounts also name their workspace beside the spec, unless -w or the context does:
"workspace: web"; a grant may have "target: NAME" instead. A field in a document gets exactly that value, so labels that it
does not list are removed; null removes a field. Fields that a document does not name stay unchanged. Everything is checked
before anything is sent. Dependencies are applied first, regardless of the order of the documents.
"fleetshift get KIND -o manifest" prints such documents.`;

export const apply: Command = {
  help: () => helpText({ usage: 'fleetshift apply -f FILE [flags]', summary: SUMMARY, settings: SETTINGS }),
  async run(args, io, signal) {
    const { api, values, contextWorkspace } = readClientCommand({ settings: SETTINGS, expects: [] }, args, io);
    const { filename, dryRun, workspace } = values;
    if (filename.length === 0) throw new UsageError('nothing to apply: use -f FILE, -f FOLDER or -f -');
    const documents = await checkDocuments(readDocuments(filename), { said: workspace, meant: contextWorkspace });
    if (documents.length === 0) throw new UsageError('the input contains no document');
    return await applyDocuments({ api, documents, dryRun, io }, signal);
  },
};
