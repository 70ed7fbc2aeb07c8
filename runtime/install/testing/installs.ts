import type { AgentInstall } from '../agent-install.ts';

/** An install with every value that has no default. */
export function anInstall(changes: Partial<AgentInstall> = {}): AgentInstall {
  return {
    namespace: 'fleetshift-system',
    image: 'fleetshift:0.1.0',
    platform: 'https://fleet.example:8701',
    target: 'eu-1',
    token: 'fsb_aaaaaaaaaaaaaaaa_secret',
    authority: undefined,
    rbac: 'restricted',
    allow: [],
    namespaces: [],
    apiProxy: false,
    apiProxyUsers: [],
    networkPolicy: true,
    ...changes,
  };
}
