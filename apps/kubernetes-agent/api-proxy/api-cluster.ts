import type { ImpersonatedGroups, ImpersonatedUsers, Impersonation } from '#contexts/api-proxy';
import { createRawApi, type KubeClient, type KubeConfig, type RawApi } from '#kit/kube';
import { type Clock, systemClock } from '#kit/std';
import type { DialGuard } from '#kit/transport/dial';

export interface ApiClusterOptions {
  readonly config: KubeConfig;
  readonly guard?: DialGuard | undefined;
  /** The same cluster as the same identity: asked what it may do. */
  readonly kube: Pick<KubeClient, 'request'>;
  /** Callers who are users of their own there; the agent's operator says so, since only RBAC by name would tell. */
  readonly users: ImpersonatedUsers;
  readonly clock?: Clock;
}

/** A cluster whose API is offered through the platform. */
export interface ApiCluster {
  readonly api: RawApi;
  /** As whom this identity may name callers. */
  impersonation(signal: AbortSignal): Promise<Impersonation>;
  /** Cuts whatever is under way. */
  close(): Promise<void>;
}

/** Rights change seldom; an answer is good for so long. */
const REMEMBERED_MS = 5 * 60_000;
const REVIEW = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Nothing is connected until somebody asks. */
export function openApiCluster({ config, guard, kube, users, clock = systemClock }: ApiClusterOptions): ApiCluster {
  const api = createRawApi({ config, guard, clock });
  let known: { readonly groups: ImpersonatedGroups; readonly until: number } | undefined;
  return {
    api,
    impersonation: async (signal) => {
      if (known !== undefined && known.until > clock.now()) return { users, groups: known.groups };
      const groups = (await mayImpersonateAnyGroup(kube, signal)) ? 'all' : 'roles';
      known = { groups, until: clock.now() + REMEMBERED_MS };
      return { users, groups };
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
