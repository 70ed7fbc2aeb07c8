import type { Platform } from '#testing/platform-process';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { made } from './callers.ts';
import { WITH_CANARIES } from './canaries.ts';

/** Goes to the targets with `env: prod`, once somebody has approved it. */
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

/** Makes `app`, whose first revision waits for the approval that is returned. There has to be a target for it. */
export async function addDeployment(platform: Platform, workspace: string): Promise<{ readonly approval: string }> {
  await made(platform, `/v1/workspaces/${workspace}/deployments`, DEPLOYMENT);
  const approval = await eventually('the rollout to ask for an approval', async () => {
    const answer = await platform.request(`/v1/workspaces/${workspace}/approvals`);
    return ((await answer.json()) as { items: { uid: string }[] }).items[0]?.uid;
  });
  return { approval };
}
