import type { Static } from 'typebox';
import type { NewDeploymentSchema, NewTargetSchema, NewWorkspaceSchema } from '#protocol/api';

/** The simulated fleet serves this type and no other. */
export const SIMULATED_TYPE = 'simulated';

export const DEMO_WORKSPACE = 'demo';

/** Tells how far the demo was seeded: only `seeding` is continued. */
export const DEMO_LABEL = 'demo';

export function demoWorkspace(): Static<typeof NewWorkspaceSchema> {
  return { name: DEMO_WORKSPACE, displayName: 'Demo', labels: { [DEMO_LABEL]: 'seeding' } };
}

const REGIONS = ['eu-west', 'us-east', 'ap-south'] as const;
const TIERS = ['core', 'edge'] as const;
/** For groups of six, in order: from three targets on there is one of each. */
const ENVIRONMENTS = ['dev', 'staging', 'prod', 'prod', 'prod', 'prod'] as const;

export function demoTargets(size: number): readonly Static<typeof NewTargetSchema>[] {
  return Array.from({ length: size }, (_, index) => ({
    name: `demo-${String(index + 1).padStart(String(size).length, '0')}`,
    type: SIMULATED_TYPE,
    workspace: DEMO_WORKSPACE,
    labels: {
      env: pick(ENVIRONMENTS, index),
      region: pick(REGIONS, index),
      tier: pick(TIERS, Math.floor(index / REGIONS.length)),
    },
  }));
}

/** Stage by stage; each starts once the previous one has been healthy for a while. */
export function demoDeployment(): Static<typeof NewDeploymentSchema> {
  const afterTasks = [{ type: 'health' as const, stableDuration: '10s' }];
  return {
    name: 'hello',
    labels: { app: 'hello' },
    manifest: { type: 'inline', documents: demoDocuments() },
    placement: [{ type: 'all' }],
    rollout: {
      type: 'staged',
      stages: [
        { name: 'dev', selector: { matchLabels: { env: 'dev' } }, afterTasks },
        { name: 'staging', selector: { matchLabels: { env: 'staging' } }, maxConcurrency: '50%', afterTasks },
        { name: 'prod', selector: { matchLabels: { env: 'prod' } }, maxConcurrency: '25%', afterTasks },
      ],
    },
  };
}

function demoDocuments(): Record<string, unknown>[] {
  const metadata = { name: 'hello', namespace: 'default', labels: { app: 'hello' } };
  const container = { name: 'hello', image: 'hello-world:1.0', envFrom: [{ configMapRef: { name: 'hello' } }] };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { greeting: 'Hello, fleet!' } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'hello' } },
        template: { metadata: { labels: { app: 'hello' } }, spec: { containers: [container] } },
      },
    },
  ];
}

function pick<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T;
}
