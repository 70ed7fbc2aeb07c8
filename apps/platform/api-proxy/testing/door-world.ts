import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AccessIndex, type Role } from '#contexts/access';
import { authorizerOf } from '#contexts/access/adapters';
import type { StreamLimits } from '#contexts/api-proxy';
import { targetNotFound } from '#contexts/targets';
import { workspaceNotFound } from '#contexts/workspaces';
import type { AuditEntry, Principal } from '#kit/http';
import { createKubeClient, type KubeConfig } from '#kit/kube';
import { parseResourceName, parseUuid, Secret } from '#kit/std';
import { createLogger } from '#kit/telemetry';
import { createMetrics } from '#kit/telemetry/metrics';
import { FleetWorld, type TestFleetlet } from '../../../../contexts/channels/testing/fleet-world.ts';
import { openApiCluster } from '../../../kubernetes-agent/api-proxy/api-cluster.ts';
import { serveApiProxy } from '../../../kubernetes-agent/api-proxy/serve-api-proxy.ts';
import { type ApiProxy, openApiProxy } from '../open-api-proxy.ts';

export const AGENT_TOKEN = 'token-of-the-agent';
/** Each may be shown as a token. */
const PEOPLE = { vera: 'viewer', dora: 'deployer', ada: 'admin', oscar: undefined } as const satisfies Readonly<
  Record<string, Role | undefined>
>;
export type Person = keyof typeof PEOPLE;

export interface DoorWorldOptions {
  /** The API server of the target; a real one instead. */
  readonly config?: KubeConfig;
  readonly limits?: StreamLimits;
  readonly requestsPerMinute?: number;
  /** What people set at the target. */
  readonly apiAuthentication?: string;
  readonly over?: 'memory' | 'sockets';
}

/** The way from a client to an API server, whole, but for the sockets of the platform and its database: target `web`. */
export class DoorWorld {
  readonly noted: AuditEntry[] = [];
  readonly refused: AuditEntry[] = [];
  /** Bytes, by workspace. */
  readonly metered = new Map<string, number>();
  readonly lines: string[] = [];
  readonly fleet: FleetWorld;
  readonly fleetlet: TestFleetlet;
  readonly proxy: ApiProxy;
  /** `http://127.0.0.1:…/targets/web/api` */
  readonly url: string;
  /** Tunnels that were opened. */
  readonly tunnels: () => number;
  /** What the scripted API server does. */
  readonly api: { answer: RequestListener; readonly server: Server };
  /** Whether the agent still serves its target. */
  readonly agent: { isServing: boolean };
  readonly close: () => Promise<void>;

  private constructor(
    parts: Pick<DoorWorld, 'fleet' | 'fleetlet' | 'proxy' | 'url' | 'tunnels' | 'api' | 'agent' | 'close'>,
  ) {
    ({ fleet: this.fleet, fleetlet: this.fleetlet, proxy: this.proxy, url: this.url } = parts);
    ({ tunnels: this.tunnels, api: this.api, agent: this.agent, close: this.close } = parts);
  }

  static async open(options: DoorWorldOptions = {}): Promise<DoorWorld> {
    const { over = 'memory' } = options;
    const fleet = new FleetWorld({ over, heartbeatMs: 30_000 });
    const fleetlet = await fleet.fleetlet('edge');
    const local = await fleetlet.agentOf('web');
    const api = await scriptedApi();
    const config = options.config ?? configOf(addressOf(api.server));
    const kube = createKubeClient({ config });
    const cluster = openApiCluster({ config, kube });
    const agent = { isServing: true };
    const lines: string[] = [];
    const log = createLogger({
      level: 'debug',
      destination: { write: (line) => void lines.push(line) },
      pretty: false,
    });
    const unserve = serveApiProxy({ client: local, clusterOf: () => (agent.isServing ? cluster : undefined), log });
    const index = treeOf();
    let opened = 0;
    const recorded: { world?: DoorWorld } = {};
    const proxy = openApiProxy({
      hub: {
        openBytes: (...wanted) => {
          opened += 1;
          return fleet.hub.openBytes(...wanted);
        },
      },
      authenticator: { authenticate: async ({ bearer }) => personOf(bearer) },
      authorizer: authorizerOf(index, { workspace: workspaceNotFound, target: targetNotFound }),
      audit: {
        append: async () => {},
        note: async (entry) => void recorded.world?.noted.push(entry),
        refused: (entry) => void recorded.world?.refused.push(entry),
      },
      targetOf: (name) => {
        const [target, workspace] = index.lineageOf({ kind: 'target', name });
        return target && workspace && { uid: `uid-${name}`, workspace: workspace.name };
      },
      authenticationOf: async () => options.apiAuthentication,
      requestsPerMinute: options.requestsPerMinute ?? 1_000_000,
      meter: (workspace, bytes) => {
        const { metered } = recorded.world ?? { metered: new Map<string, number>() };
        metered.set(workspace, (metered.get(workspace) ?? 0) + bytes);
      },
      metrics: createMetrics(),
      log,
      ...(options.limits && { limits: options.limits }),
    });
    const stop = new AbortController();
    const running = proxy.runnable.run(stop.signal);
    const front = createServer({ shouldUpgradeCallback: () => true });
    front.on('request', (...asked) => proxy.request(...asked));
    front.on('upgrade', (...asked) => proxy.upgrade(...asked));
    await once(front.listen(0, '127.0.0.1'), 'listening');
    const close = async (): Promise<void> => {
      stop.abort();
      await running;
      unserve();
      front.closeAllConnections();
      api.server.closeAllConnections();
      await cluster.close();
      await kube.close();
      await Promise.all([once(front.close(), 'close'), once(api.server.close(), 'close'), fleet.close()]);
    };
    const url = `${addressOf(front)}/targets/web/api`;
    const world = new DoorWorld({ fleet, fleetlet, proxy, url, tunnels: () => opened, api, agent, close });
    recorded.world = world;
    world.lines.push(...lines);
    return world;
  }

  /** As that person; the answer's head, its body still to come. */
  async ask(path: string, { as = 'ada', ...options }: AskOptions = {}): Promise<IncomingMessage> {
    const { body, method = 'GET', headers = {}, signal } = options;
    const outgoing = request(`${this.url}${path}`, {
      method,
      agent: false,
      headers: { ...(as === 'nobody' ? {} : { authorization: `Bearer ${as}` }), ...headers },
      ...(signal && { signal }),
    });
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return response;
  }
}

export interface AskOptions {
  readonly as?: Person | 'nobody' | (string & {});
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
}

export async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

/** A token may be a JWT whose first part is the name. */
function personOf(bearer: string | undefined): Principal | undefined {
  const [name = ''] = bearer?.split('.') ?? [];
  if (!Object.hasOwn(PEOPLE, name)) return undefined;
  return { kind: 'user', id: name, groups: ['staff', 'system:masters'] };
}

const UIDS = { root: 1, shop: 2, web: 3 } as const;

function uid(number: number): ReturnType<typeof parseUuid> {
  return parseUuid(`00000000-0000-7000-8000-${String(number).padStart(12, '0')}`);
}

/** `web` is in the workspace `shop`, on which everybody has what he has; Oscar has nothing. */
function treeOf(): AccessIndex {
  const index = new AccessIndex();
  index.apply({ kind: 'workspace', name: 'root', uid: uid(UIDS.root), generation: 1, parent: undefined });
  index.apply({ kind: 'workspace', name: 'shop', uid: uid(UIDS.shop), generation: 1, parent: 'root' });
  index.apply({ kind: 'target', name: 'web', uid: uid(UIDS.web), generation: 1, workspace: 'shop' });
  const resource = { kind: 'workspace', name: 'shop', uid: uid(UIDS.shop) } as const;
  for (const [number, [id, role]] of Object.entries(PEOPLE).entries()) {
    if (role === undefined) continue;
    const gives = { kind: 'role', role } as const;
    const subject = { kind: 'user', id } as const;
    index.apply({
      kind: 'grant',
      grant: { uid: uid(100 + number), name: parseResourceName(id), resource, subject, gives },
    });
  }
  return index;
}

async function scriptedApi(): Promise<DoorWorld['api']> {
  const server: Server = createServer({ shouldUpgradeCallback: () => server.listenerCount('upgrade') > 0 });
  const api: DoorWorld['api'] = { server, answer: (_asked, response) => response.end('{}') };
  server.on('request', (asked, response) => {
    if (!asked.url?.includes('selfsubjectaccessreviews')) return api.answer(asked, response);
    asked.resume();
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ status: { allowed: true } }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return api;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function configOf(server: string): KubeConfig {
  return { server, namespace: 'default', identity: { token: { kind: 'text', text: new Secret(AGENT_TOKEN) } } };
}
