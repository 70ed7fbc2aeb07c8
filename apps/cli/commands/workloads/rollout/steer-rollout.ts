import { Type } from 'typebox';
import type { ApiClient } from '../../../client/api-client.ts';
import { EXIT, type ExitCode, type Io } from '../../../command.ts';
import { confirm } from '../../../output/confirm.ts';
import { renderData } from '../../../output/render-data.ts';
import { type DeploymentAddress, deploymentPath } from '../../../rollout/read-rollout.ts';
import { inDryRun } from '../../dry-run-setting.ts';
import type { DONE_FORMATS } from './rollout-settings.ts';

export interface Steering {
  readonly api: ApiClient;
  readonly io: Io;
  readonly address: DeploymentAddress;
  /** The verb in the API. */
  readonly verb: string;
  readonly body?: object;
  /** Appended to the name: `paused`. */
  readonly done: string;
  readonly dryRun: boolean;
  readonly output: (typeof DONE_FORMATS)[number];
  /** The action to confirm, unless `--yes` was given. */
  readonly question?: { readonly what: string; readonly isAgreed: boolean };
}

/** The response is only for programs; people use `rollout status`. */
const ANSWER = Type.Object({});

export async function steerRollout(steering: Steering, signal: AbortSignal): Promise<ExitCode> {
  const { api, io, address, verb, body, done, dryRun, output, question } = steering;
  if (question !== undefined && !dryRun && !(await confirm(io, question, signal))) {
    io.err('aborted; nothing was changed\n');
    return EXIT.failure;
  }
  const query = dryRun ? { dryRun } : {};
  const call = { path: deploymentPath(address), verb, query, ...(body === undefined ? {} : { body }) };
  const answer = await api.post(ANSWER, call, signal);
  if (output === 'json' || output === 'yaml') io.out(renderData(output, answer));
  else io.out(`deployment/${address.name}${output === 'name' ? '' : ` ${done}${inDryRun(dryRun)}`}\n`);
  return EXIT.ok;
}
