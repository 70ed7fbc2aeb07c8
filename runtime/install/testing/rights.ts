import type { KubeClient } from '#kit/kube';

export const WHO = ['agent', 'viewer', 'deployer', 'admin'] as const;
export type Who = (typeof WHO)[number];

/** An action as in `kubectl auth can-i`: `create pods/exec`, `impersonate users/x`, in a namespace or everywhere. */
export interface Action {
  readonly verb: string;
  readonly resource: string;
  readonly group?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly namespace?: string;
}

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

/** Asks the API server, which evaluates all existing bindings. */
export async function may(kube: KubeClient, who: Who, action: Action, signal: AbortSignal): Promise<boolean> {
  const spec = { ...subject(who), resourceAttributes: action };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  const answer = await kube.request<{ readonly status: { readonly allowed: boolean } }>(
    { method: 'POST', path: REVIEWS, body },
    signal,
  );
  return answer.status.allowed;
}

/** The agent as the API server sees it, and the user that the agent impersonates for a caller. */
function subject(who: Who): { readonly user: string; readonly groups: readonly string[] } {
  if (who !== 'agent') return { user: 'fleetshift:caller', groups: [`fleetshift:role:${who}`, 'system:authenticated'] };
  const groups = ['system:serviceaccounts', 'system:serviceaccounts:fleetshift-system', 'system:authenticated'];
  return { user: 'system:serviceaccount:fleetshift-system:fleetshift-agent', groups };
}
