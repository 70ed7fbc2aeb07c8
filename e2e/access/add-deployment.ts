import type { Platform } from '#testing/platform-process';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { made } from './callers.ts';
import { WITH_CANARIES } from './canaries.ts';

/** Deploys to targets labelled `env: prod`, after an approval. */
const DEPLOYMENT = {
  name: 'app',
  manifest: { type: 'inline', documents: WITH_CANARIES.documents },
  config: WITH_CANARIES.config,
  placement: [{ type: 'all' }],
  rollout: {
    type: 'staged',
    stages: [{ name: 'prod', selector: { matchLabels: { env: 'prod' } }, beforeTasks: [{ type: 'approval' }] }],
  },
};

/** Creates `app` and returns the approval that its first revision waits for. The workspace must have a matching target. */
export async function addDeployment(platform: Platform, workspace: string): Promise<{ readonly approval: string }> {
  await made(platform, `/v1/workspaces/${workspace}/deployments`, DEPLOYMENT);
  const approval = await eventually('the rollout to ask for an approval', async () => {
    const answer = await platform.request(`/v1/workspaces/${workspace}/approvals`);
    return ((await answer.json()) as { items: { uid: string }[] }).items[0]?.uid;
  });
  return { approval };
}
