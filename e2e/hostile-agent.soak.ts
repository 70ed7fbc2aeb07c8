import assert from 'node:assert/strict';
import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import { type Platform, platformHome } from '#testing/platform-process';
import { seededRandom } from '#testing/seeded';
import { type Soak, SoakCaseFailure, type SoakOptions } from '#testing/soak';
import {
  call,
  comesTrue,
  connectFleetlet,
  DEPLOYMENTS,
  deployTo,
  enrolFleetlet,
  hostileFleetlet,
  isAvailable,
} from './hostile/hostile-fleetlet.ts';
import { HOSTILE_CHANNELS, type HostileMessage, hostileMessage } from './hostile/hostile-messages.ts';

/** Messages between two checks of the other participants; the platform is restarted after each check. */
const MESSAGES_PER_WORLD = 500;
const FLAGS = ['--fleetlet-heartbeat', '500ms'];

export const soak: Soak = {
  description:
    'an enrolled fleetlet that sends everything the protocol allows; no other target, caller or deployment is affected',
  defaultCount: 10_000,
  async run(options) {
    for (let begun = 0; begun < options.count; begun += MESSAGES_PER_WORLD) {
      options.signal.throwIfAborted();
      const engine = DATABASES[(begun / MESSAGES_PER_WORLD) % DATABASES.length] ?? 'sqlite';
      const count = Math.min(MESSAGES_PER_WORLD, options.count - begun);
      await hostileWorld(engine, { ...options, seed: options.seed + begun, count });
      options.progress(begun + count);
    }
  },
};

/** One platform with a hostile and an honest fleetlet: sends messages, checks the honest one, restarts, checks again. */
export async function hostileWorld(engine: Engine, { seed, count, signal }: SoakOptions): Promise<void> {
  const home = await platformHome(engine);
  try {
    let platform = await home.start({ flags: FLAGS });
    const bad = await hostileFleetlet(platform, 'bad');
    const honest = await hostileFleetlet(platform, 'good');
    const known = { targets: [bad.target, honest.target], deployments: [bad.deployment, honest.deployment] };
    const channels = new Map(
      HOSTILE_CHANNELS.map((name) => {
        const own = { status: bad.fleetlet.status, delivery: bad.fleetlet.delivery, control: bad.fleetlet.control };
        const opened = { access: bad.fleetlet.access, ...own };
        return [name, name === 'index' ? openIndex(bad.fleetlet) : opened[name]] as const;
      }),
    );
    const say = async ({ channel, target, payload }: HostileMessage): Promise<void> => {
      const message = channel === 'control' || channel === 'access' ? { payload } : { payload, target };
      const within = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      await channels.get(channel)?.send(message, within);
    };
    for (let index = 0; index < count; index += 1) {
      await say(hostileMessage(seededRandom(seed + index), known)).catch((error: unknown) => {
        throw new SoakCaseFailure(seed + index, error);
      });
    }
    await othersAreWell(platform, 'good', `after-${seed}`);
    await Promise.all([bad.fleetlet.stop(), honest.fleetlet.stop()]);
    assert.equal((await platform.stop()).code, 0);
    platform = await home.start({ flags: FLAGS });
    const { endpoints } = await enrolFleetlet(platform, 'unused');
    const back = await connectFleetlet({ ...bad.enrolled, endpoints }, 'bad').catch(() => undefined);
    const good = await connectFleetlet({ ...honest.enrolled, endpoints }, 'good', honest.fleetlet);
    await othersAreWell(platform, 'good', `restarted-${seed}`);
    await Promise.all([back?.fleetlet.stop(), good.fleetlet.stop()]);
  } finally {
    await home.dispose();
  }
}

function openIndex(fleetlet: Awaited<ReturnType<typeof hostileFleetlet>>['fleetlet']) {
  const handlers = { message: (inbound: { ack(): void }) => inbound.ack() };
  return fleetlet.uplink.open({ name: 'index', mode: 'reliable', connectionClass: 'bulk' }, handlers);
}

/**
 * The other participants are unharmed: lists answer, the honest target is connected, its deployments are unchanged, and a
 * new one completes.
 */
async function othersAreWell(platform: Platform, target: string, name: string): Promise<void> {
  for (const path of [
    '/v1/targets',
    '/v1/deployments',
    '/v1/fleetlets',
    '/readyz',
    '/v1/targets/bad',
    `${DEPLOYMENTS}/on-bad/targets`,
  ]) {
    const answer = await platform.request(path);
    assert.equal(answer.status, 200, `${path}: ${await answer.text()}`);
  }
  type Shown = { readonly connection: { readonly state: string } };
  const isThere = async (): Promise<boolean> =>
    (await call<Shown>(platform, 'GET', `/v1/targets/${target}`)).connection.state === 'Connected';
  assert.ok(await comesTrue(isThere, PATIENCE_MS), 'the honest target is connected');
  const revision = async (): Promise<number> =>
    (await call<{ readonly revision: number }>(platform, 'GET', `${DEPLOYMENTS}/on-${target}`)).revision;
  assert.equal(await revision(), 1, 'nothing happened to the deployment on it');
  await deployTo(platform, target, name);
  assert.ok(await comesTrue(() => isAvailable(platform, name), PATIENCE_MS), 'a new deployment on it completes');
}
