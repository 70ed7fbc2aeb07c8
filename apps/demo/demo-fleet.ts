import { join } from 'node:path';
import type { Static } from 'typebox';
import type { NewDeploymentSchema, NewTargetSchema, NewWorkspaceSchema } from '#protocol/api';

export const DEMO_WORKSPACE = 'demo';
export const DEMO_DEPLOYMENT = 'hello';
/** Records how far the demo was created: only `seeding` is continued. */
export const DEMO_LABEL = 'demo';

const REGIONS = ['eu', 'us', 'ap'] as const;

export function demoWorkspace(): Static<typeof NewWorkspaceSchema> {
  return { name: DEMO_WORKSPACE, displayName: 'Demo', labels: { [DEMO_LABEL]: 'seeding' } };
}

/** A canary, and in each region one target for staging and three for production: thirteen in total. */
export function demoTargets(): readonly Static<typeof NewTargetSchema>[] {
  const canary = target('eu-canary', 'eu', 'canary');
  const rest = REGIONS.flatMap((region) => [
    target(`${region}-staging`, region, 'staging'),
    ...[1, 2, 3].map((number) => target(`${region}-prod-${number}`, region, 'production')),
  ]);
  return [canary, ...rest];
}

/** The folder of a target, where deliveries can be inspected. */
export function demoFolder(dataFolder: string, name: string): string {
  return join(dataFolder, 'demo', name);
}

const TEMPLATE = `apiVersion: directory.fleetshift.io/v1
kind: File
path: site/index.html
content: |
  <h1>\${values.greeting} from \${target.name}!</h1>
---
apiVersion: directory.fleetshift.io/v1
kind: File
path: etc/app.conf
content: |
  greeting=\${values.greeting}
  region=\${target.labels.region}
  stage=\${target.labels.stage}
`;

/** Immediate at first, so that there is something to change. */
export function demoDeployment(): Static<typeof NewDeploymentSchema> {
  return {
    name: DEMO_DEPLOYMENT,
    labels: { app: 'hello' },
    manifest: { type: 'template', template: TEMPLATE, values: { greeting: 'Hello' } },
    placement: [{ type: 'all' }],
    rollout: { type: 'immediate' },
  };
}

/** How later changes are rolled out: the canary, then an approval, then staging and production. */
export function demoRollout(): NonNullable<Static<typeof NewDeploymentSchema>['rollout']> {
  return {
    type: 'staged',
    stages: [
      { name: 'canary', selector: { matchLabels: { stage: 'canary' } } },
      {
        name: 'staging',
        selector: { matchLabels: { stage: 'staging' } },
        beforeTasks: [{ type: 'approval' }],
        afterTasks: [{ type: 'health', stableDuration: '2s' }],
      },
      { name: 'production', selector: { matchLabels: { stage: 'production' } }, maxConcurrency: '34%' },
    ],
  };
}

function target(name: string, region: string, stage: string): Static<typeof NewTargetSchema> {
  return { name, type: 'directory', workspace: DEMO_WORKSPACE, labels: { region, stage } };
}
