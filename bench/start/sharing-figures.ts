import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Platform, platformHome } from '#testing/platform-process';
import { addCaller, ask, made, STAFF } from '../../e2e/access/callers.ts';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { type BenchContext, cost, type Figure } from '../figure.ts';
import { percentile } from '../statistics.ts';

/** Promised: one second. The process that made the change answers within some ten milliseconds. */
const GOAL = 50;

/** Two processes on one Postgres: the time from a change in one of them until the other applies it. */
export async function sharingFigures(context: BenchContext): Promise<Figure[]> {
  const home = await platformHome('postgres');
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-second-'));
  try {
    const keys = ['--key-file', join(folder, 'keys.json')];
    const first = await home.start({ flags: keys });
    const second = await home.start({ flags: [...keys, '--data', join(folder, 'data')] });
    for (const name of [STAFF, 'own']) await made(first, '/v1/workspaces', { name });
    const { token, subject } = await addCaller(first, { name: 'robot' });
    const knows = async (platform: Platform, status: number): Promise<number> => {
      const begun = performance.now();
      const isSo = async () => (await ask(platform, token, '/v1/workspaces/own')).status === status;
      await eventually(`${status} to be the answer`, isSo);
      return performance.now() - begun;
    };
    const [own, other]: [number[], number[]] = [[], []];
    for (let round = 0; round < (context.quick ? 3 : 20); round += 1) {
      const { name } = await made(first, '/v1/workspaces/own/grants', { subject, role: 'viewer' });
      const both = await Promise.all([knows(first, 200), knows(second, 200)]);
      own.push(both[0]);
      other.push(both[1]);
      await first.request(`/v1/workspaces/own/grants/${String(name)}`, { method: 'DELETE' });
      await Promise.all([knows(first, 404), knows(second, 404)]);
    }
    const [value, reference] = [percentile(other, 0.5), percentile(own, 0.5)];
    context.log(`a grant is known to the other process after ${Math.round(value)} ms`);
    return [cost({ name: 'a grant is known to the other process', unit: 'ms', value, reference, goal: GOAL })];
  } finally {
    await home.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}
