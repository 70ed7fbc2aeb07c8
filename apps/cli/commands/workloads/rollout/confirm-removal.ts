import type { DeploymentResource } from '#protocol/api';
import { readClientCommand } from '../../../client/client-command.ts';
import { ClientError } from '../../../client/client-error.ts';
import type { ExitCode, Io } from '../../../command.ts';
import { readDeployment, readSurroundings } from '../../../rollout/read-rollout.ts';
import { deploymentNamed } from './deployment-word.ts';
import { GRAVE_SETTINGS } from './rollout-settings.ts';
import { steerRollout } from './steer-rollout.ts';

const NAMED = 20;

/** Confirms held removals. The user sees the targets before confirming. */
export async function confirmRemoval(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const command = readClientCommand({ settings: GRAVE_SETTINGS, expects: ['NAME'], more: true }, args, io);
  const { api, values, positionals, contextWorkspace } = command;
  const [word = '', ...chosen] = positionals;
  const address = deploymentNamed({ word, workspace: values.workspace, contextWorkspace });
  const deployment = await readDeployment(api, address, signal);
  const { targets } = await readSurroundings(api, deployment, signal);
  const names = heldNames(deployment, new Map(targets.map(({ uid, target }) => [uid, target])));
  if (names.length === 0) throw new ClientError('CONFLICT', `no removal of ${address.name} is held`);
  const going = chosen.length === 0 ? names : chosen;
  const question = { what: removalText(address.name, going), isAgreed: values.yes };
  // Only the targets that were shown, not those held since.
  const body = { targets: going };
  const done = `confirmed for removal from ${going.length === 1 ? '1 target' : `${going.length} targets`}`;
  return await steerRollout({ ...values, api, io, address, verb: 'confirmRemoval', body, done, question }, signal);
}

function heldNames({ status }: DeploymentResource, names: ReadonlyMap<string, string>): string[] {
  return status.placement.held.map(({ id }) => names.get(id) ?? id);
}

function removalText(name: string, targets: readonly string[]): string {
  const more = targets.length > NAMED ? ` and ${targets.length - NAMED} more` : '';
  return `${name} will be removed from ${targets.slice(0, NAMED).join(', ')}${more}.`;
}
