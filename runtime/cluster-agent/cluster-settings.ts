import type { ImpersonatedUsers } from '#contexts/api-proxy';
import { listOf, orNone, type Settings, text, type Values } from '#kit/config';

/** Settings of the served clusters. */
export const CLUSTER_SETTINGS = {
  'agent-namespace': {
    kind: text('NAMESPACE'),
    default: 'fleetshift-system',
    sentence: "Namespace in each cluster for the agent's own records. Created if missing.",
    group: 'Clusters',
  },
  'api-proxy-users': {
    kind: orNone(listOf(text('NAME'))),
    default: '*',
    sentence:
      'Callers of the API proxy that are impersonated as users of their own, such as user:alice; * for all. Other callers share the user fleetshift:caller, and its extra field fleetshift.io/user names the person.',
    group: 'Clusters',
  },
} as const satisfies Settings;

export function apiUsers({
  apiProxyUsers = [],
}: Pick<Values<typeof CLUSTER_SETTINGS>, 'apiProxyUsers'>): ImpersonatedUsers {
  return apiProxyUsers.includes('*') ? 'all' : new Set(apiProxyUsers);
}
