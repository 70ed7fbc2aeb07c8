import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fleetletHome } from '#runtime/fleetlet/testing/fleetlet-process';
import { type Platform, platformHome } from '#testing/platform-process';
import { type BenchContext, type Figure, plain } from '../figure.ts';

/** From the kill of the platform until it serves again, at the least. */
const AWAY_MS = 2_000;
/** Promised, counted from when the platform serves again. */
const GOAL_MS = 5_000;
const TARGET = 'edge-1';

/** A fleetlet process and a platform that is killed and started again: the longest time until its target is connected. */
export async function reconnectFigure(context: BenchContext): Promise<Figure> {
  const home = await platformHome('sqlite');
  const cleanups: (() => unknown)[] = [];
  try {
    const flags = ['--fleetlet-listen', 'none'];
    let platform = await home.start({ flags });
    const port = new URL(platform.tlsUrl).port;
    const edge = await fleetletHome({ after: (cleanup: () => unknown) => void cleanups.push(cleanup) });
    const token = await bootstrapToken(platform);
    const authority = join(home.data, 'tls', 'ca.crt');
    const there = ['--platform', platform.tlsUrl, '--ca-file', authority, '--transport', 'websocket'];
    const fleetlet = await edge.start([...there, '--target', `${TARGET}=directory`], {
      FLEETSHIFT_BOOTSTRAP_TOKEN: token,
    });
    await fleetlet.says(sessions(1));
    const took: number[] = [];
    for (let round = 0; round < (context.quick ? 2 : 7); round += 1) {
      await platform.kill();
      const killed = performance.now();
      await pause(Math.max(0, AWAY_MS - platform.readyAfterMs));
      platform = await home.start({ flags: [...flags, '--tls-listen', `127.0.0.1:${port}`] });
      const served = performance.now();
      await fleetlet.says(sessions(round + 2));
      took.push(performance.now() - served);
      context.log(
        `a platform away for ${Math.round(served - killed)} ms: its fleetlet is back ${Math.round(took.at(-1) ?? 0)} ms later`,
      );
    }
    const value = Math.max(...took);
    const name = `reconnect: a fleetlet is back after a restart of the platform that took ${AWAY_MS / 1_000} s, at most`;
    return { ...plain(name, value, 'ms'), goal: GOAL_MS, met: value <= GOAL_MS };
  } finally {
    for (const cleanup of cleanups) await cleanup();
    await home.dispose();
  }
}

async function bootstrapToken(platform: Platform): Promise<string> {
  const answer = await platform.request('/v1/workspaces/root/bootstrap-tokens', { method: 'POST', body: { uses: 1 } });
  if (!answer.ok) throw new Error(`create a bootstrap token: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { readonly token: string }).token;
}

/** The log of a fleetlet that has established so many sessions. */
function sessions(count: number): RegExp {
  return new RegExp(`("session with the platform established"[^]*){${count}}`);
}
