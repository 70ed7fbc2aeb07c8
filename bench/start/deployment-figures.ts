import { loadavg } from 'node:os';
import { sleep } from '#kit/std';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { DeploymentClient, saying } from '../../e2e/rollouts/deployment-client.ts';
import { simulatedStart } from '../../e2e/rollouts/simulated-start.ts';
import { type BenchContext, cost, type Figure } from '../figure.ts';

const TARGETS = Array.from({ length: 10 }, (_, index) => ({ name: `t-${index}`, labels: {} }));
const CHANGED = 'app-50';
/** For the time until the rollout has succeeded: a restart may add little to that of a running platform. */
const LANDS_GOAL = 2;
/**
 * From the start of the process until a change has landed, less what the same change takes on a running platform: the
 * simulated targets need seconds for either. On an idle machine.
 */
const RESTART_GOAL_MS = 2_000;
/** Per cent of one core, for a process without requests. */
const IDLE_GOAL = 5;

/** Many idle deployments: a change after a kill and restart, and the cost of being idle. */
export async function deploymentFigures(context: BenchContext): Promise<Figure[]> {
  const count = context.quick ? 100 : 1_000;
  const home = await platformHome('sqlite');
  try {
    const { platform, client } = await open(home);
    await client.settle(TARGETS);
    await client.create(drafts(count));
    await client.untilIdle();
    const reference = await landing(client, 2);
    await platform.kill();

    const started = performance.now();
    const again = await open(home);
    const value = await landing(again.client, 3);
    const sinceStart = Math.round(performance.now() - started);
    await again.client.untilIdle();
    const share = await idleShare(again.platform, context);
    context.log(`${count} deployments: a change landed after ${Math.round(value)} ms, idle ${share.toFixed(1)} %`);
    const load = loadavg()[0]?.toFixed(1);
    context.log(`${count} deployments: landed ${sinceStart} ms after the start of the process; load average ${load}`);
    const restart = {
      name: `${count} deployments: what a restart, counted from exec, adds to a change`,
      value: Math.round(sinceStart - reference),
      unit: 'ms',
    };
    const idle = { name: `${count} idle deployments: CPU`, value: Number(share.toPrecision(3)), unit: '% of a core' };
    return [
      cost({
        name: `${count} deployments: a change after a restart`,
        unit: 'ms',
        value,
        reference,
        goal: LANDS_GOAL,
      }),
      { ...restart, goal: RESTART_GOAL_MS, met: sinceStart - reference <= RESTART_GOAL_MS },
      { ...idle, goal: IDLE_GOAL, met: share <= IDLE_GOAL },
    ];
  } finally {
    await home.dispose();
  }
}

async function open(home: PlatformHome): Promise<{ platform: Platform; client: DeploymentClient }> {
  const platform = await home.start(simulatedStart(home));
  return { platform, client: new DeploymentClient(platform, 'shop') };
}

function drafts(count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `app-${index}`,
    manifest: saying(`of ${index}`),
    placement: [{ type: 'static', targets: [`t-${index % TARGETS.length}`] }],
  }));
}

/** The time from the request to the success of the rollout. */
async function landing(client: DeploymentClient, revision: number): Promise<number> {
  const begun = performance.now();
  await client.patch(CHANGED, { manifest: saying(`revision ${revision}`) });
  await client.succeeded(CHANGED, revision);
  return performance.now() - begun;
}

/** The lowest of a few measurements: leftovers of the start, such as garbage collection, may fall into the first. */
async function idleShare(platform: Platform, { quick, signal }: BenchContext): Promise<number> {
  const shares: number[] = [];
  for (let look = 0; look < (quick ? 2 : 5); look += 1) {
    const [before, begun] = [await cpuSeconds(platform), performance.now()];
    await sleep(quick ? 1_500 : 3_000, signal);
    shares.push(((await cpuSeconds(platform)) - before) / ((performance.now() - begun) / 1_000));
  }
  return 100 * Math.min(...shares);
}

async function cpuSeconds(platform: Platform): Promise<number> {
  const text = await (await platform.request('/metrics')).text();
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]);
}
