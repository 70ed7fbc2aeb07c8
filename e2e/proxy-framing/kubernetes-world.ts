import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { impersonatorRules, roleBindingsWithin } from '#contexts/api-proxy';
import { sharedCluster, type TestCluster } from '#testing/clusters';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { type SeededRandom, seededRandom } from '#testing/seeded';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { AUDITED } from '../../testing/clusters/cluster-files.ts';
import { clientConfig } from '../../testing/clusters/kubeconfig.ts';
import { addCaller, made, STAFF } from '../access/callers.ts';
import { AgentProcess } from '../kubectl/agent-process.ts';
import { AuditTrail } from './audit-trail.ts';
import { hiddenRequest, smuggledBody } from './bodies.ts';
import type { Asked } from './conversation.ts';
import type { Door } from './converse.ts';
import { CALLERS, type Caller, GRANTED, type Place } from './place.ts';

const TARGET = 'prod-1';
const OWN_RULE = {
  apiGroups: ['*'],
  resources: ['*'],
  verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
};

/** The product's complete processes in front of a real API server, whose audit log shows what it did for the agent. */
export class KubernetesWorld {
  /** Both listeners of the platform. */
  readonly doors: readonly Door[];
  readonly place: Place;
  readonly trail: AuditTrail;
  readonly #home: PlatformHome;
  readonly #agent: AgentProcess;
  readonly #folder: string;

  private constructor(parts: Pick<KubernetesWorld, 'doors' | 'place' | 'trail'>, own: Own) {
    ({ doors: this.doors, place: this.place, trail: this.trail } = parts);
    ({ home: this.#home, agent: this.#agent, folder: this.#folder } = own);
  }

  static async open(signal: AbortSignal): Promise<KubernetesWorld> {
    const cluster = await sharedCluster('apiserver', signal);
    const namespace = await cluster.namespace({ after: () => {} }, 'framing');
    const user = `agent-of-${namespace}`;
    await giveRights(cluster, { namespace, user });
    const home = await platformHome('sqlite');
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-framing-'));
    const platform = await home.start({ flags: ['--trust-proxy', '127.0.0.1', '--rate-limit', '1000000'] });
    const tokens = await tokensOf(platform);
    const bound = await platform.request('/v1/fleetlets/platform:bind', { method: 'POST', body: { target: TARGET } });
    assert.ok(bound.ok, await bound.text());
    const kubeconfig = join(folder, 'agent.kubeconfig');
    const { server, ca } = cluster;
    const credentials = cluster.clientCertificate(user, [AUDITED]);
    await writeFile(kubeconfig, clientConfig({ server, ca, user, credentials }), { mode: 0o600 });
    const socket = join(home.data, 'fleetlet.sock');
    // The agent's own namespace is separate, so that its requests are not taken for cases.
    const flags = ['--api-proxy-users', '', '--agent-namespace', `agent-${randomBytes(4).toString('hex')}`];
    const agent = new AgentProcess({ platform, socket, target: TARGET, kubeconfig, folder, flags });
    await agent.start();
    const tls = { url: platform.tlsUrl, ca: await readFile(join(home.data, 'tls', 'ca.crt'), 'utf8') };
    const trail = new AuditTrail({ file: cluster.auditLog, agent: user, mark: namespace });
    const place = placeIn(namespace, tokens);
    await leadsThere(platform.url, place, trail);
    return new KubernetesWorld({ doors: [{ url: platform.url }, tls], place, trail }, { home, agent, folder });
  }

  async close(): Promise<void> {
    await this.#agent.kill();
    await this.#home.dispose();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

interface Own {
  readonly home: PlatformHome;
  readonly agent: AgentProcess;
  readonly folder: string;
}

/**
 * The agent itself may do everything, so that a request sent in its own name by mistake would succeed. For callers it has
 * the rights of the manifest.
 */
async function giveRights(cluster: TestCluster, { namespace, user }: { namespace: string; user: string }) {
  const [apiGroup, metadata] = ['rbac.authorization.k8s.io', { name: user }];
  const roleRef = { apiGroup, kind: 'ClusterRole', name: user };
  const objects = [
    { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRole', metadata, rules: [...impersonatorRules(), OWN_RULE] },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef,
      subjects: [{ apiGroup, kind: 'User', name: user }],
    },
    ...roleBindingsWithin([namespace], { viewers: 'there' }),
  ];
  const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], { input });
  assert.equal(code, 0, stderr);
}

/** Waits until the target answers: it is recorded as connected shortly before that. */
async function leadsThere(url: string, place: Place, trail: AuditTrail): Promise<void> {
  const path = place.pathOf('first', seededRandom(1));
  const asked: Asked = {
    as: 'ada',
    method: 'GET',
    path,
    body: '',
    arrives: 'whole',
    isFollowed: false,
    isAnswered: true,
    bytes: '',
  };
  trail.add({ asked: [asked], isLeft: false, isUnsure: true });
  const headers = { authorization: `Bearer ${place.tokenOf('ada')}` };
  await eventually(
    'the door leads there',
    async () => (await fetch(`${url}${place.door}${path}`, { headers })).status < 500,
  );
}

/** One service account per caller, named after it; one caller has none. */
async function tokensOf(platform: Platform): Promise<ReadonlyMap<Caller, string>> {
  for (const name of [STAFF, 'shop']) await made(platform, '/v1/workspaces', { name, parent: 'root' });
  await made(platform, '/v1/targets', { name: TARGET, type: 'kubernetes', workspace: 'shop' });
  const tokens = new Map<Caller, string>();
  for (const name of Object.keys(CALLERS) as Caller[]) {
    const role = GRANTED[name];
    if (role === undefined) continue;
    tokens.set(name, (await addCaller(platform, { name, given: [{ role, on: 'workspaces/shop' }] })).token);
  }
  return tokens;
}

/** Paths of ConfigMaps that can be created there, and of other kinds. */
function placeIn(namespace: string, tokens: ReadonlyMap<Caller, string>): Place {
  const within = `/api/v1/namespaces/${namespace}`;
  return {
    door: `/targets/${TARGET}/api`,
    tokenOf: (caller) => tokens.get(caller) ?? caller,
    pathOf: (id, random) =>
      random.pick([
        `${within}/configmaps?case=${id}`,
        `${within}/configmaps/${id}`,
        `${within}/configmaps/${id}?fieldManager=x&a=/../b`,
        `${within}/configmaps/${id}/%20x`,
        `${within}/secrets/${id}`,
        `/version?case=${namespace}-${id}`,
        `/apis/apps/v1?case=${namespace}-${id}`,
        `/${namespace}/${id}`,
      ]),
    bodyOf: (id, random) => (random.next() < 0.5 ? configMap(id, random) : smuggledBody(id, random)),
    upgradeOf: (id, path, random) => ({
      isTaken: false,
      path: random.pick([path, `${within}/pods/${id}/exec?command=true`]),
    }),
  };
}

function configMap(id: string, random: SeededRandom): string {
  const data = { hidden: `0\r\n\r\n${hiddenRequest(id)}`, more: 'x'.repeat(random.integer(0, 5_000)) };
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: id }, data });
}
