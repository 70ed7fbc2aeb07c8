import { sleep } from '#kit/std';
import {
  DEMO_DEPLOYMENT,
  DEMO_LABEL,
  DEMO_WORKSPACE,
  demoDeployment,
  demoRollout,
  demoTargets,
  demoWorkspace,
} from './demo-fleet.ts';
import { CLUSTERS_WORKSPACE, clustersDeployment, clustersWorkspace, demoClusters } from './demo-kubernetes.ts';

/** The platform's API, called as the administrator. */
export type DemoApi = (
  call: { readonly method: string; readonly path: string; readonly body?: object },
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly body: unknown }>;

/** `made`: completed by an earlier start. `foreign`: the instance has other contents, and the demo is not created. */
export type DemoState = 'none' | 'begun' | 'made' | 'foreign';

const WORKSPACE_PATH = `/v1/workspaces/${DEMO_WORKSPACE}`;
const DEPLOYMENT_PATH = `${WORKSPACE_PATH}/deployments/${DEMO_DEPLOYMENT}`;
const LOOK_MS = 250;
const EMBEDDED_FLEETLET = 'platform';

export async function demoState(api: DemoApi, signal: AbortSignal): Promise<DemoState> {
  const { status, body } = await api({ method: 'GET', path: WORKSPACE_PATH }, signal);
  if (status === 200) {
    const label = (body as Item).labels?.[DEMO_LABEL];
    if (label === 'seeding') return 'begun';
    return label === 'made' ? 'made' : 'foreign';
  }
  if (status !== 404) throw refusal(WORKSPACE_PATH, status, body);
  const workspaces = await itemsOf(api, '/v1/workspaces?pageSize=2', signal);
  const targets = await itemsOf(api, '/v1/targets?pageSize=1', signal);
  return workspaces.every(({ name }) => name === 'root') && targets.length === 0 ? 'none' : 'foreign';
}

/**
 * Creates targets for the agents to serve, and a deployment. Each step is idempotent: the next start completes an
 * interrupted one.
 */
export async function seedDemo(api: DemoApi, signal: AbortSignal): Promise<void> {
  await make(api, '/v1/workspaces', demoWorkspace(), signal);
  for (const target of demoTargets()) await makeBound(api, target, signal);
  await make(api, `${WORKSPACE_PATH}/deployments`, demoDeployment(), signal);
}

/** Once the first revision is everywhere, later changes are rolled out in stages. */
export async function finishDemo(api: DemoApi, signal: AbortSignal): Promise<void> {
  while (!(await isEverywhere(api, signal))) await sleep(LOOK_MS, signal);
  await expect(api, { method: 'PATCH', path: DEPLOYMENT_PATH, body: { rollout: demoRollout() } }, signal);
  const body = { labels: { [DEMO_LABEL]: 'made' } };
  await expect(api, { method: 'PATCH', path: WORKSPACE_PATH, body }, signal);
}

/** Creates the clusters next to the folders; as many as there are now, regardless of earlier starts. */
export async function seedClusters(api: DemoApi, count: number, signal: AbortSignal): Promise<void> {
  const path = `/v1/workspaces/${CLUSTERS_WORKSPACE}`;
  await make(api, '/v1/workspaces', clustersWorkspace(), signal);
  for (const target of demoClusters(count)) await makeBound(api, target, signal);
  const { body } = await api({ method: 'GET', path }, signal);
  // A deployment that was deleted since is not created again.
  if ((body as Item).labels?.[DEMO_LABEL] !== 'seeding') return;
  await make(api, `${path}/deployments`, clustersDeployment(), signal);
  await expect(api, { method: 'PATCH', path, body: { labels: { [DEMO_LABEL]: 'made' } } }, signal);
}

async function makeBound(api: DemoApi, target: { readonly name: string }, signal: AbortSignal): Promise<void> {
  await make(api, '/v1/targets', target, signal);
  await expect(api, { path: `/v1/fleetlets/${EMBEDDED_FLEETLET}:bind`, body: { target: target.name } }, signal);
}

async function isEverywhere(api: DemoApi, signal: AbortSignal): Promise<boolean> {
  const { body } = await api({ method: 'GET', path: DEPLOYMENT_PATH }, signal);
  const { status } = body as { readonly status?: { readonly counts?: { readonly available?: number } } };
  return status?.counts?.available === demoTargets().length;
}

async function make(api: DemoApi, path: string, body: object, signal: AbortSignal): Promise<void> {
  const { status, body: answer } = await api({ method: 'POST', path, body }, signal);
  if (status !== 201 && status !== 409) throw refusal(path, status, answer);
}

async function expect(
  api: DemoApi,
  { method = 'POST', path, body }: { readonly method?: string; readonly path: string; readonly body: object },
  signal: AbortSignal,
): Promise<void> {
  const { status, body: answer } = await api({ method, path, body }, signal);
  if (status !== 200) throw refusal(path, status, answer);
}

function refusal(path: string, status: number, body: unknown): Error {
  const { detail = '' } = (body ?? {}) as { readonly detail?: string };
  return new Error(`create the demo: ${path} answered ${status}. ${detail}`);
}

interface Item {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
}

async function itemsOf(api: DemoApi, path: string, signal: AbortSignal): Promise<readonly Item[]> {
  const { status, body } = await api({ method: 'GET', path }, signal);
  if (status !== 200) throw refusal(path, status, body);
  return (body as { readonly items: readonly Item[] }).items;
}
