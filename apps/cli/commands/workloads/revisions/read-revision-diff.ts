import { type RevisionDiffResource, RevisionDiffSchema } from '#protocol/api';
import type { ApiClient } from '../../../client/api-client.ts';
import { type DeploymentAddress, deploymentPath } from '../../../rollout/read-rollout.ts';
import { lastRevision } from './last-revision.ts';

export interface DiffQuestion {
  readonly address: DeploymentAddress;
  /** Defaults to the last revision. */
  readonly revision: number | undefined;
  readonly against: number | undefined;
  readonly target: string | undefined;
  /** The maximum number of targets. */
  readonly limit: number;
}

const PAGE_SIZE = 200;

/** All pages combined; `nextPageToken` is present when some were left out. */
export async function readRevisionDiff(
  api: ApiClient,
  { address, revision, against, target, limit }: DiffQuestion,
  signal: AbortSignal,
): Promise<RevisionDiffResource> {
  const number = revision ?? (await lastRevision(api, address, signal));
  const path = [...deploymentPath(address), 'revisions', String(number)];
  const targets: RevisionDiffResource['targets'] = [];
  for (let pageToken: string | undefined; ; ) {
    const pageSize = Math.min(PAGE_SIZE, limit - targets.length);
    const call = { path, verb: 'diff', query: { against, target, pageSize, pageToken } };
    const page = await api.get(RevisionDiffSchema, call, signal);
    targets.push(...page.targets);
    pageToken = page.nextPageToken;
    if (pageToken === undefined || targets.length >= limit) return { ...page, targets };
  }
}
