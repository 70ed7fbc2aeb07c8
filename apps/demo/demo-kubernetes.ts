import type { Static } from 'typebox';
import type { NewDeploymentSchema, NewTargetSchema, NewWorkspaceSchema } from '#protocol/api';
import { DEMO_LABEL } from './demo-fleet.ts';

/** Separate from the workspace of the folders, because deployments to all folders must not go to clusters. */
export const CLUSTERS_WORKSPACE = 'demo-kubernetes';
export const CLUSTERS_DEPLOYMENT = 'web';
const NAMESPACE = 'web';
const REGIONS = ['eu', 'us', 'ap'] as const;

export function clustersWorkspace(): Static<typeof NewWorkspaceSchema> {
  return { name: CLUSTERS_WORKSPACE, displayName: 'Demo clusters', labels: { [DEMO_LABEL]: 'seeding' } };
}

/** `eu-kube`, `us-kube`, `ap-kube`, `eu-kube-2`, ...: the first is the canary. */
export function demoClusters(count: number): readonly Static<typeof NewTargetSchema>[] {
  return Array.from({ length: count }, (_, index) => {
    const region = REGIONS[index % REGIONS.length] ?? 'eu';
    const round = Math.floor(index / REGIONS.length) + 1;
    const name = round === 1 ? `${region}-kube` : `${region}-kube-${round}`;
    const stage = index === 0 ? 'canary' : 'production';
    return { name, type: 'kubernetes', workspace: CLUSTERS_WORKSPACE, labels: { region, stage } };
  });
}

const TEMPLATE = `apiVersion: v1
kind: Namespace
metadata:
  name: ${NAMESPACE}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  namespace: ${NAMESPACE}
data:
  greeting: \${values.greeting}
  region: \${target.labels.region}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: ${NAMESPACE}
spec:
  replicas: 3
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
        - name: web
          image: \${values.image}
          ports:
            - containerPort: 80
`;

/** The canary first, then the others one by one. */
export function clustersDeployment(): Static<typeof NewDeploymentSchema> {
  return {
    name: CLUSTERS_DEPLOYMENT,
    labels: { app: 'web' },
    manifest: { type: 'template', template: TEMPLATE, values: { greeting: 'Hello', image: 'web:1.0' } },
    placement: [{ type: 'all' }],
    rollout: {
      type: 'staged',
      stages: [
        {
          name: 'canary',
          selector: { matchLabels: { stage: 'canary' } },
          afterTasks: [{ type: 'health', stableDuration: '2s' }],
        },
        { name: 'production', selector: { matchLabels: { stage: 'production' } }, maxConcurrency: 1 },
      ],
    },
  };
}
