import { type PreviewResource, PreviewSchema } from '#protocol/api';
import { planChange } from '../../../apply/plan-change.ts';
import type { ApiClient, Query } from '../../../client/api-client.ts';
import { pathOf } from '../../../kinds/read-one.ts';
import type { WantedDeployment } from './wanted-deployment.ts';

/** Previews a new deployment, a change, or a deployment as it is. */
export async function readPreview(
  api: ApiClient,
  { wanted, query = {} }: { readonly wanted: WantedDeployment; readonly query?: Query },
  signal: AbortSignal,
): Promise<PreviewResource> {
  const { document, current } = wanted;
  const { rules, name, place, spec } = document;
  const path = pathOf(document, place);
  const call =
    current === undefined
      ? { path: path.slice(0, -1), body: { name, ...spec } }
      : { path, body: planChange(rules, current, spec).patch ?? {} };
  return await api.post(PreviewSchema, { ...call, verb: 'preview', query }, signal);
}
