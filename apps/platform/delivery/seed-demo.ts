import type { ApiAnswer, PlatformApi } from './administrator-api.ts';
import { DEMO_LABEL, DEMO_WORKSPACE, demoDeployment, demoTargets, demoWorkspace } from './demo-resources.ts';

export type Seeded =
  | { readonly kind: 'seeded' }
  /** The instance contains something that is not part of the demo. */
  | { readonly kind: 'notEmpty' }
  /** The API refused a step. Everything created so far stays, and the next start continues. */
  | { readonly kind: 'refused'; readonly path: string; readonly status: number; readonly code: string };

/**
 * Creates the demo in an empty instance only. A start that was interrupted is continued by the next: each step is
 * idempotent, and a label of the workspace tells that the last step is not done.
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

/** If the list cannot be read, the instance counts as not empty, and nothing is created. */
async function listed(api: PlatformApi, path: string, signal: AbortSignal): Promise<NonNullable<Page['items']>> {
  const { status, body } = await api({ method: 'GET', path }, signal);
  return status === 200 ? ((body as Page).items ?? []) : UNKNOWN;
}

const UNKNOWN = [{ name: '', labels: {} }];

function refused(path: string, { status, body }: ApiAnswer): Seeded {
  const { code = '' } = (body ?? {}) as { readonly code?: string };
  return { kind: 'refused', path, status, code };
}
