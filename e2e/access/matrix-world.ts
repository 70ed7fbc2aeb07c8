import type { Platform } from '#testing/platform-process';
import { addDeployment } from './add-deployment.ts';
import { addFleetlet } from './add-fleetlet.ts';
import { addCaller, type Caller, type CallerWish, made, STAFF } from './callers.ts';
import { CANARIES, CANARY_CLUSTER, plantCanaries, plantKubeconfig } from './canaries.ts';
import type { Lineage } from './expected-answer.ts';
import type { Place } from './operation-cases.ts';
import { addQuotingAgents, type QuotingPlace, untilQuoted } from './quoting-agents.ts';

export interface MatrixCaller extends Caller {
  readonly wish: Pick<CallerWish, 'given' | 'scope'>;
}

export interface MatrixWorld {
  readonly places: readonly Place[];
  readonly callers: readonly MatrixCaller[];
  /** The workspace and targets of the quoting agents. */
  readonly quoting: { readonly workspace: string; readonly targets: readonly string[] };
  lineageOf(resource: string): Lineage;
}

const ON_OWN = 'workspaces/own';
const ON_ROOT = 'workspaces/root';

/** The callers of the matrix. The expected answers follow from these grants and the permission table alone. */
const CALLERS: readonly CallerWish[] = [
  { name: 'nobody' },
  { name: 'viewer', given: [{ role: 'viewer', on: ON_OWN }] },
  { name: 'deployer', given: [{ role: 'deployer', on: ON_OWN }] },
  { name: 'approver', given: [{ role: 'approver', on: ON_OWN }] },
  { name: 'admin', given: [{ role: 'admin', on: ON_OWN }] },
  { name: 'target-admin', given: [{ role: 'admin', on: 'targets/own-target' }] },
  { name: 'root-viewer', given: [{ role: 'viewer', on: ON_ROOT }] },
  { name: 'instance-admin', given: [{ role: 'admin', on: ON_ROOT }] },
  { name: 'admin-who-looks', given: [{ role: 'admin', on: ON_OWN }], scope: { roles: ['viewer'] } },
  { name: 'instance-admin-at-home', given: [{ role: 'admin', on: ON_ROOT }], scope: { within: ON_OWN } },
  { name: 'admin-elsewhere', given: [{ role: 'admin', on: ON_OWN }], scope: { within: 'workspaces/foreign' } },
];

/**
 * Creates two identical trees, `own` and `foreign`. Each has a room with one object of every kind, a den, and an empty
 * workspace.
 */
export async function makeMatrixWorld(platform: Platform, atEnd: QuotingPlace['atEnd']): Promise<MatrixWorld> {
  const lineages = new Map<string, Lineage>([[ON_ROOT, [ON_ROOT]]]);
  const workspace = async (name: string, parent = 'root'): Promise<void> => {
    await made(platform, '/v1/workspaces', { name, parent });
    lineages.set(`workspaces/${name}`, [`workspaces/${name}`, ...(lineages.get(`workspaces/${parent}`) ?? [])]);
  };
  await workspace(STAFF);
  const own = await makeTree('own');
  const room = String(own.params['workspace']);
  const quoting = { ...(await addQuotingAgents(platform, { workspace: room, prefix: 'own', atEnd })), workspace: room };
  for (const target of quoting.targets) setIn(room, target);
  const foreign = await makeTree('foreign');
  await made(platform, '/v1/issuers', { ...ISSUER, name: 'corp' });
  await plantKubeconfig(platform);
  lineages.set(`targets/${CANARY_CLUSTER}`, [`targets/${CANARY_CLUSTER}`, `workspaces/${STAFF}`, ON_ROOT]);
  await platform.request('/v1/permission-schemas/metrics-query', {
    method: 'PUT',
    body: { resourceType: 'target', attributesSchema: { type: 'object' } },
  });
  for (const home of ['/v1', '/v1/workspaces/own-room', '/v1/workspaces/foreign-room']) {
    const body = { targetType: 'kubernetes', kinds: [{ type: 'shop.test/v1/Thing' }] };
    await platform.request(`${home}/index-schemas/${ANYWHERE.indexSchema}`, { method: 'PUT', body });
  }
  const callers: MatrixCaller[] = [
    // The holder of the instance's own credential is admin of the root without a grant.
    {
      name: 'admin token',
      token: platform.token,
      subject: { kind: 'admin', id: 'admin' },
      wish: { given: [{ role: 'admin', on: ON_ROOT }] },
    },
  ];
  for (const wish of CALLERS) callers.push({ ...(await addCaller(platform, wish)), wish });
  await untilQuoted(platform, room);
  return {
    callers,
    quoting,
    places: [own, foreign, { ...own, name: 'across', other: foreign.other }],
    lineageOf: (resource) => lineages.get(resource) ?? [resource],
  };

  function setIn(room: string, target: string): void {
    lineages.set(`targets/${target}`, [`targets/${target}`, ...(lineages.get(`workspaces/${room}`) ?? [])]);
  }

  async function makeTree(name: 'own' | 'foreign'): Promise<Place> {
    await workspace(name);
    const room = `${name}-room`;
    for (const child of [room, `${name}-den`, `${name}-empty`]) await workspace(child, name);
    const target = `${name}-target`;
    await made(platform, '/v1/targets', { name: target, type: 'directory', workspace: room, labels: { env: 'prod' } });
    setIn(room, target);
    const grant = { name: 'kept', subject: { kind: 'user', id: 'somebody' }, role: 'viewer' };
    for (const on of [`workspaces/${room}`, `targets/${target}`]) await made(platform, `/v1/${on}/grants`, grant);
    const accounts = `/v1/workspaces/${room}/service-accounts`;
    await made(platform, accounts, { name: 'robot' });
    const { name: token } = await made(platform, `${accounts}/robot/tokens`, {});
    setIn(room, `${name}-edge`);
    const fleetlet = await addFleetlet(platform, room, `${name}-edge`);
    const { name: bootstrapToken } = await made(platform, `/v1/workspaces/${room}/bootstrap-tokens`, {});
    const { approval } = await addDeployment(platform, room);
    await plantCanaries(platform, room);
    const params = {
      ...ANYWHERE,
      workspace: room,
      approval,
      target,
      grant: 'kept',
      serviceAccount: 'robot',
      token: String(token),
      bootstrapToken: String(bootstrapToken),
      fleetlet,
    };
    return { name, params, other: `${name}-den`, empty: `${name}-empty` };
  }
}

/** Nothing listens at this address. */
const ISSUER = {
  url: 'http://127.0.0.1:1',
  clientId: 'platform',
  mode: 'isolated',
  clientSecret: CANARIES['the client secret of an issuer'],
};

/** Parameters for objects of the whole instance, and for objects that do not exist. */
export const ANYWHERE = {
  permissionSchema: 'metrics-query',
  indexSchema: 'things',
  issuer: 'corp',
  session: '01987654-3210-7abc-8def-0123456789ab',
  workflow: 'nothing',
  deadLetter: 'nothing',
  deployment: 'app',
  approval: '01987654-3210-7abc-8def-0123456789ab',
  revision: '1',
  score: 'load',
};
