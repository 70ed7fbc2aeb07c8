import { systemClock } from '#kit/std';
import type { ApiClient } from '../../../client/api-client.ts';
import { readClientCommand } from '../../../client/client-command.ts';
import { EXIT, type ExitCode, type Io } from '../../../command.ts';
import { paintFor } from '../../../output/paint.ts';
import { type DataFormat, renderData } from '../../../output/render-data.ts';
import { type DeploymentAddress, readDeployment, readSurroundings } from '../../../rollout/read-rollout.ts';
import { renderRollout } from '../../../rollout/render-rollout.ts';
import { watchRollout } from '../../../rollout/watch-rollout.ts';
import { deploymentNamed } from './deployment-word.ts';
import { STATUS_SETTINGS } from './rollout-settings.ts';

export async function showStatus(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const command = readClientCommand({ settings: STATUS_SETTINGS, expects: ['NAME'] }, args, io);
  const { api, values, positionals, contextWorkspace } = command;
  const { workspace, watch, output, timeout, limit, allTargets } = values;
  const address = deploymentNamed({ word: positionals[0] ?? '', workspace, contextWorkspace });
  const shown = { api, address, io, limit, allTargets };
  if (!watch) return await showOnce({ ...shown, output }, signal);
  return await watchRollout({ ...shown, output, timeoutMs: timeout, endsWhenStopped: false }, signal);
}

interface Shown {
  readonly api: ApiClient;
  readonly address: DeploymentAddress;
  readonly io: Io;
  readonly limit: number;
  readonly allTargets: boolean;
  readonly output: 'table' | DataFormat;
}

async function showOnce(
  { api, address, io, limit, allTargets, output }: Shown,
  signal: AbortSignal,
): Promise<ExitCode> {
  const deployment = await readDeployment(api, address, signal);
  const surroundings = await readSurroundings(api, deployment, signal);
  if (output !== 'table') io.out(renderData(output, { ...deployment, ...surroundings }));
  else {
    const drawing = { now: systemClock.now(), paint: paintFor(io), limit, allTargets };
    io.out(`${renderRollout({ deployment, ...surroundings }, drawing).join('\n')}\n`);
  }
  return EXIT.ok;
}
