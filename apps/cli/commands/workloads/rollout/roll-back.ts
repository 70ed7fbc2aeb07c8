import type { RevisionSummaryResource } from '#protocol/api';
import type { ApiClient } from '../../../client/api-client.ts';
import { readClientCommand } from '../../../client/client-command.ts';
import { ClientError } from '../../../client/client-error.ts';
import type { ExitCode, Io } from '../../../command.ts';
import { readList } from '../../../kinds/read-list.ts';
import { revisionKind } from '../../../kinds/revision-kind.ts';
import type { DeploymentAddress } from '../../../rollout/read-rollout.ts';
import { deploymentNamed } from './deployment-word.ts';
import { ROLLBACK_SETTINGS } from './rollout-settings.ts';
import { steerRollout } from './steer-rollout.ts';

export async function rollBack(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const command = readClientCommand({ settings: ROLLBACK_SETTINGS, expects: ['NAME'] }, args, io);
  const { api, values, positionals, contextWorkspace } = command;
  const { to, paced, yes } = values;
  const address = deploymentNamed({ word: positionals[0] ?? '', workspace: values.workspace, contextWorkspace });
  const revision = to ?? (await lastGood(api, address, signal));
  const how = paced ? 'by its rollout strategy' : 'to all targets at once, regardless of its budget';
  const question = { what: `${address.name} goes back to revision ${revision}, ${how}.`, isAgreed: yes };
  const done = `rolling back to revision ${revision}`;
  const body = { revision, paced };
  return await steerRollout({ ...values, api, io, address, verb: 'rollback', body, done, question }, signal);
}

/** Older revisions are not considered. */
const LOOKED_AT = 200;

/** The newest revision that succeeded and whose content is not that of the newest of all. */
async function lastGood(api: ApiClient, { workspace, name }: DeploymentAddress, signal: AbortSignal): Promise<number> {
  const place = { workspace, deployment: name };
  const { items } = await readList(api, { kind: revisionKind, place, limit: LOOKED_AT }, signal);
  const [now, ...earlier] = items as unknown as readonly RevisionSummaryResource[];
  const others = earlier.filter(({ contentHash }) => contentHash !== now?.contentHash);
  const found = others.find(({ outcome }) => outcome === 'Succeeded');
  if (found !== undefined) return found.revision;
  const why = others.length === 0 ? 'has other content than the last one' : 'with other content succeeded';
  const act = `choose one of "fleetshift revisions ${name} -w ${workspace}" with --to`;
  throw new ClientError('CONFLICT', `no earlier revision of ${name} ${why}; ${act}`);
}
