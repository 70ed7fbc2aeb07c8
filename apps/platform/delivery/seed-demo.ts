import type { ApiAnswer, PlatformApi } from './administrator-api.ts';
import { DEMO_LABEL, DEMO_WORKSPACE, demoDeployment, demoTargets, demoWorkspace } from './demo-resources.ts';

export type Seeded =
  | { readonly kind: 'seeded' }
  /** There is something in the instance that is none of the demo's. */
  | { readonly kind: 'notEmpty' }
  /** The API refused a step. What is there stays, and the next start goes on. */
  | { readonly kind: 'refused'; readonly path: string; readonly status: number; readonly code: string };

/**
 * Makes the demo in an instance that has nothing in it, and nowhere else. A start that was cut off half-way is gone on
 * with by the next: each step may be done twice, and the workspace says that the last has not been done.
 */
export async function seedDemo(api: PlatformApi, size: number, signal: AbortSignal): Promise<Seeded> {
  if (!(await isToBeSeeded(api, signal))) return { kind: 'notEmpty' };
  const creates = [
    { path: '/v1/workspaces', body: demoWorkspace() },
    ...demoTargets(size).map((body) => ({ path: '/v1/targets', body })),
    { path: `/v1/workspaces/${DEMO_WORKSPACE}/deployments`, body: demoDeployment() },
  ];
  for (const { path, body } of creates) {
    const answer = await api({ method: 'POST', path, body }, signal);
    const isThere = answer.status === 201 || answer.status === 409;
    if (!isThere) return refused(path, answer);
  }
  const path = `/v1/workspaces/${DEMO_WORKSPACE}`;
  const done = await api({ method: 'PATCH', path, body: { labels: { [DEMO_LABEL]: 'seeded' } } }, signal);
  return done.status === 200 ? { kind: 'seeded' } : refused(path, done);
}

interface Page {
  readonly items?: readonly { readonly name: string; readonly labels: Readonly<Record<string, string>> }[];
}

async function isToBeSeeded(api: PlatformApi, signal: AbortSignal): Promise<boolean> {
  const workspaces = await listed(api, '/v1/workspaces?pageSize=3', signal);
  const others = workspaces.filter(({ name }) => name !== 'root');
  if (others.length === 0) return (await listed(api, '/v1/targets?pageSize=1', signal)).length === 0;
  return others.every(({ name, labels }) => name === DEMO_WORKSPACE && labels[DEMO_LABEL] === 'seeding');
}

/** Whoever may not look has something to hide: then nothing is made. */
async function listed(api: PlatformApi, path: string, signal: AbortSignal): Promise<NonNullable<Page['items']>> {
  const { status, body } = await api({ method: 'GET', path }, signal);
  return status === 200 ? ((body as Page).items ?? []) : UNKNOWN;
}

const UNKNOWN = [{ name: '', labels: {} }];

function refused(path: string, { status, body }: ApiAnswer): Seeded {
  const { code = '' } = (body ?? {}) as { readonly code?: string };
  return { kind: 'refused', path, status, code };
}
