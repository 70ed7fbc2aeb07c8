import type { ImpersonatedGroups } from '#contexts/api-proxy';
import { createRawApi, type KubeClient, type KubeConfig, type RawApi } from '#kit/kube';
import { type Clock, systemClock } from '#kit/std';
import type { DialGuard } from '#kit/transport/dial';

export interface ApiClusterOptions {
  readonly config: KubeConfig;
  readonly guard?: DialGuard | undefined;
  /** The same cluster as the same identity: asked what it may do. */
  readonly kube: Pick<KubeClient, 'request'>;
  readonly clock?: Clock;
}

/** A cluster whose API is offered through the platform. */
export interface ApiCluster {
  readonly api: RawApi;
  /** Which groups this identity may impersonate. */
  groups(signal: AbortSignal): Promise<ImpersonatedGroups>;
  /** Cuts whatever is under way. */
  close(): Promise<void>;
}

/** Rights change seldom; an answer is good for so long. */
const REMEMBERED_MS = 5 * 60_000;
const REVIEW = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Nothing is connected until somebody asks. */
export function openApiCluster({ config, guard, kube, clock = systemClock }: ApiClusterOptions): ApiCluster {
  const api = createRawApi({ config, guard, clock });
  let known: { readonly groups: ImpersonatedGroups; readonly until: number } | undefined;
  return {
    api,
    groups: async (signal) => {
      if (known !== undefined && known.until > clock.now()) return known.groups;
      const groups = (await mayImpersonateAnyGroup(kube, signal)) ? 'all' : 'roles';
      known = { groups, until: clock.now() + REMEMBERED_MS };
      return groups;
    },
    close: () => api.close(),
  };
}

/** Whoever may do it without a name may do it with any. */
async function mayImpersonateAnyGroup(kube: Pick<KubeClient, 'request'>, signal: AbortSignal): Promise<boolean> {
  const spec = { resourceAttributes: { verb: 'impersonate', resource: 'groups' } };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
  const review = await kube.request<{ readonly status?: { readonly allowed?: boolean } }>(
    { method: 'POST', path: REVIEW, body },
    signal,
  );
  return review.status?.allowed === true;
}
