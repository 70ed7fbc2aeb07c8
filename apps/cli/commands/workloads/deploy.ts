import { helpText } from '#kit/config';
import { applyDocument } from '../../apply/apply-document.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { readClientCommand } from '../../client/client-command.ts';
import { ClientError } from '../../client/client-error.ts';
import { type Command, EXIT, type ExitCode, type Io } from '../../command.ts';
import { workspaceOf } from '../../kinds/place.ts';
import { confirm } from '../../output/confirm.ts';
import { renderData } from '../../output/render-data.ts';
import { type DeploymentAddress, readDeployment } from '../../rollout/read-rollout.ts';
import { watchRollout } from '../../rollout/watch-rollout.ts';
import { inDryRun } from '../dry-run-setting.ts';
import { DEPLOY_SETTINGS } from './deploy/deploy-settings.ts';
import { readPreview } from './deploy/read-preview.ts';
import { type WantedDeployment, wantedDeployment } from './deploy/wanted-deployment.ts';

const SUMMARY = `Creates or changes a deployment: what to deliver, to which targets, and how fast.

  fleetshift deploy web --file web.yaml --to env=prod --rollout rolling --batch-size 10% --watch
  fleetshift deploy web --file web.yaml          # the next version, same targets and same strategy
  fleetshift deploy web --set replicas=3         # one value of its template, and nothing else
  fleetshift deploy -f deployment.yaml --watch   # stages, gates and groups are written in a document

With --watch it exits with 0 once the rollout has succeeded, and with 1 when it is paused or ended without success.
A change that removes the deployment from targets asks for confirmation.`;

export const deploy: Command = {
  help: () =>
    helpText({ usage: 'fleetshift deploy NAME|-f FILE [flags]', summary: SUMMARY, settings: DEPLOY_SETTINGS }),
  async run(args, io, signal) {
    const command = readClientCommand({ settings: DEPLOY_SETTINGS, expects: [], more: true }, args, io);
    const { api, values } = command;
    const { dryRun, yes, output, watch, timeout, limit } = values;
    const wanted = await wantedDeployment(api, command, signal);
    const { document } = wanted;
    const address = { workspace: workspaceOf(document.place), name: document.name };
    if (!dryRun && !(await mayGoOn({ api, io, wanted, isAgreed: yes }, signal))) {
      io.err('aborted; nothing was changed\n');
      return EXIT.failure;
    }
    const outcome = await applyDocument({ api, document, dryRun }, signal);
    if (output === 'line') io.out(`${document.key} ${outcome}${inDryRun(dryRun)}\n`);
    if (output === 'name') io.out(`${document.key}\n`);
    if (dryRun) return EXIT.ok;
    const isData = output === 'json' || output === 'yaml';
    if (!watch) return isData ? await show({ api, io, address, output }, signal) : EXIT.ok;
    const { generation } = await readDeployment(api, address, signal);
    const told = { api, address, io, limit, allTargets: false, output: isData ? output : ('table' as const) };
    return await watchRollout({ ...told, timeoutMs: timeout, endsWhenStopped: true, generation }, signal);
  },
};

interface Asking {
  readonly api: ApiClient;
  readonly io: Io;
  readonly wanted: WantedDeployment;
  readonly isAgreed: boolean;
}

/** Asks for confirmation if targets would lose the deployment. The platform holds larger removals in any case. */
async function mayGoOn({ api, io, wanted, isAgreed }: Asking, signal: AbortSignal): Promise<boolean> {
  if (isAgreed || wanted.current === undefined || wanted.document.spec['placement'] === undefined) return true;
  const names = await losing(api, wanted, signal);
  if (names.length === 0) return true;
  const targets = names.length === 1 ? '1 target' : `${names.length} targets`;
  const what = `${wanted.document.name} would be removed from ${targets}: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', ...' : ''}.`;
  return await confirm(io, { what, isAgreed }, signal);
}

async function losing(api: ApiClient, wanted: WantedDeployment, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const { resolution } = await readPreview(api, { wanted }, signal);
    return [...resolution.removed, ...resolution.held].map(({ target }) => target);
  } catch (error) {
    // A caller who may deploy may lack permission to preview.
    if (error instanceof ClientError && error.code === 'PERMISSION_DENIED') return [];
    throw error;
  }
}

interface Shown {
  readonly api: ApiClient;
  readonly io: Io;
  readonly address: DeploymentAddress;
  readonly output: 'json' | 'yaml';
}

async function show({ api, io, address, output }: Shown, signal: AbortSignal): Promise<ExitCode> {
  io.out(renderData(output, await readDeployment(api, address, signal)));
  return EXIT.ok;
}
