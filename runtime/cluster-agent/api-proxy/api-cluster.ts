import type { ImpersonatedGroups, ImpersonatedUsers, Impersonation } from '#contexts/api-proxy';
import { createRawApi, type KubeClient, type KubeConfig, type RawApi } from '#kit/kube';
import { type Clock, systemClock } from '#kit/std';
import type { DialGuard } from '#kit/transport/dial';

export interface ApiClusterOptions {
  readonly config: KubeConfig;
  readonly guard?: DialGuard | undefined;
  /** Client of the same cluster with the same identity, to query its rights. */
  readonly kube: Pick<KubeClient, 'request'>;
  /**
   * Callers that are impersonated as users of their own. Set by the agent's operator, because only name-based RBAC
   * could tell.
   */
  readonly users: ImpersonatedUsers;
  readonly clock?: Clock;
}

/** A cluster whose API is offered through the platform. */
export interface ApiCluster {
  readonly api: RawApi;
  /** How this identity may impersonate callers. */
  impersonation(signal: AbortSignal): Promise<Impersonation>;
  /** Aborts all running requests. */
  close(): Promise<void>;
}

/** Rights rarely change; an answer is cached this long. */
const REMEMBERED_MS = 5 * 60_000;
const REVIEW = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Connects on the first request. */
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

/** The right to impersonate without a resource name covers any name. */
async function mayImpersonateAnyGroup(kube: Pick<KubeClient, 'request'>, signal: AbortSignal): Promise<boolean> {
  const spec = { resourceAttributes: { verb: 'impersonate', resource: 'groups' } };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
  const review = await kube.request<{ readonly status?: { readonly allowed?: boolean } }>(
    { method: 'POST', path: REVIEW, body },
    signal,
  );
  return review.status?.allowed === true;
}
