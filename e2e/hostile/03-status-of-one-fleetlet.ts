import { Health } from '#protocol/proto';
import type { Platform } from '#testing/platform-process';
import { type Attack, heldOff, succeeded } from './attack.ts';
import {
  call,
  comesTrue,
  connectFleetlet,
  DEPLOYMENTS,
  deployTo,
  enrolFleetlet,
  type HostileFleetlet,
  hostileFleetlet,
  isAvailable,
  mustBe,
} from './hostile-fleetlet.ts';

const FLAGS = ['--fleetlet-heartbeat', '500ms'];

function health(revision: bigint, message = '') {
  return { revision, kind: { case: 'health', value: { health: Health.AVAILABLE, message } } } as const;
}

/** Returns when the stored row of the first report breaks reads, or when the report was refused. */
async function poison(platform: Platform, { report }: HostileFleetlet): Promise<void> {
  const isRefused = (): boolean => platform.said().includes('set aside');
  report(health(2n ** 62n));
  await mustBe('the report is stored or refused', async () => {
    return isRefused() || (await platform.request(`${DEPLOYMENTS}/on-bad/targets`)).status === 500;
  });
  report(health(2n ** 62n, 'again'));
  await mustBe('what was said has arrived', async () => isRefused() || /was not kept|not stored/.test(platform.said()));
}

/** A health report of revision 2^62 used to be stored, after which no row of its target could be read. */
export const stopStatuses: Attack = {
  finding: 3,
  name: 'one health report stops the status of all targets',
  async run({ home }) {
    const platform = await home.start({ flags: FLAGS });
    const bad = await hostileFleetlet(platform, 'bad');
    const { fleetlet: good } = await connectFleetlet(await enrolFleetlet(platform, 'good'), 'good');
    try {
      await poison(platform, bad);
      await deployTo(platform, 'good');
      await mustBe('the order reaches the other target', async () => good.orders.length === 1);
      if (await comesTrue(() => isAvailable(platform, 'on-good'))) {
        return heldOff('a deployment on another target became available');
      }
      return succeeded('a deployment on another target was applied, and the platform never heard of it');
    } finally {
      await Promise.all([bad.fleetlet.stop(), good.stop()]);
    }
  },
};

/** After a restart, the same row used to disconnect every target as soon as its own target connected. */
export const stopPresence: Attack = {
  finding: 3,
  name: 'one health report keeps all targets away after a restart',
  async run({ home }) {
    const first = await home.start({ flags: FLAGS });
    const bad = await hostileFleetlet(first, 'bad');
    await poison(first, bad);
    await bad.fleetlet.stop();
    await first.kill();
    const platform = await home.start({ flags: FLAGS });
    const late = await enrolFleetlet(platform, 'late');
    const { endpoints } = late;
    const again = connectFleetlet({ ...bad.enrolled, endpoints }, 'bad');
    const isRefused = again.then(
      () => true,
      () => true,
    );
    await Promise.race([isRefused, mustBe('it comes', async () => /not put down|not stored/.test(platform.said()))]);
    const good = connectFleetlet(late, 'late').then(
      (connected) => connected,
      () => undefined,
    );
    const came = await good;
    await came?.fleetlet.stop();
    await again.then(({ fleetlet }) => fleetlet.stop()).catch(() => {});
    return came === undefined ? succeeded('another target was not accepted') : heldOff('another target was accepted');
  },
};

interface Shown {
  readonly revision: number;
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
}

/**
 * A revision just below the largest number used to be adopted, as if from a restored platform; the one after it could not
 * be read.
 */
export const exhaustRevisions: Attack = {
  finding: 3,
  name: 'one health report takes a deployment to the last revision that there is',
  async run({ home }) {
    const platform = await home.start({ flags: FLAGS });
    const bad = await hostileFleetlet(platform, 'bad');
    const path = `${DEPLOYMENTS}/on-bad`;
    try {
      bad.report(health(2n ** 53n - 2n));
      let shown = await call<Shown>(platform, 'GET', path);
      const isHeard = async (): Promise<boolean> => {
        shown = await call<Shown>(platform, 'GET', path);
        const isConflict = shown.conditions.some(({ type, status }) => type === 'Conflict' && status === 'True');
        return isConflict || shown.revision > 1_000;
      };
      await mustBe('the report is heard', isHeard);
      const { revision } = shown;
      const patch = { manifest: { documents: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'next' } }] } };
      await call(platform, 'PATCH', path, patch);
      let status = 200;
      const isPlanned = async (): Promise<boolean> => {
        const answer = await platform.request(path);
        ({ status } = answer);
        return status !== 200 || ((await answer.json()) as Shown).revision > revision;
      };
      await mustBe('the change is planned', isPlanned);
      const list = await platform.request('/v1/deployments');
      if (revision > 1_000 || status !== 200 || list.status !== 200) {
        return succeeded(`revision ${revision}, then GET is ${status} and the list of all deployments ${list.status}`);
      }
      return heldOff(`the target is in conflict, and the deployment went on to its next revision after ${revision}`);
    } finally {
      await bad.fleetlet.stop();
    }
  },
};
