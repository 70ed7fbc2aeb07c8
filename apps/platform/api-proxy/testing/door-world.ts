import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AccessIndex, type Role } from '#contexts/access';
import { authorizerOf, IndexedDecisions } from '#contexts/access/adapters';
import type { StreamLimits } from '#contexts/api-proxy';
import type { LocalClient } from '#contexts/channels';
import { targetNotFound } from '#contexts/targets';
import { workspaceNotFound } from '#contexts/workspaces';
import { type AuditEntry, type Authenticator, OpenStreams, type Principal } from '#kit/http';
import { createKubeClient, type KubeConfig } from '#kit/kube';
import {
  type Clock,
  parseResourceName,
  parseUuid,
  sleep as realSleep,
  Secret,
  type Sleep,
  systemClock,
} from '#kit/std';
import { createLogger } from '#kit/telemetry';
import { createMetrics } from '#kit/telemetry/metrics';
import { openApiCluster } from '#runtime/cluster-agent/api-proxy/api-cluster';
import { serveApiProxy } from '#runtime/cluster-agent/api-proxy/serve-api-proxy';
import { FleetWorld, type TestFleetlet } from '../../../../contexts/channels/testing/fleet-world.ts';
import { type ApiProxy, openApiProxy } from '../open-api-proxy.ts';

export const AGENT_TOKEN = 'token-of-the-agent';
/** Each name is also a token. */
const PEOPLE = {
  vera: 'cluster-viewer',
  dora: 'cluster-editor',
  ada: 'admin',
  oscar: undefined,
} as const satisfies Readonly<Record<string, Role | undefined>>;
export type Person = keyof typeof PEOPLE;

export interface DoorWorldOptions {
  readonly limits?: StreamLimits;
  readonly requestsPerMinute?: number;
  /** A server of the test, in place of the scripted one. */
  readonly server?: string;
  /** The target has its own audience, for tokens like `vera.at.web`. */
  readonly hasPassthrough?: boolean;
  /** The trusted proxies. */
  readonly trustProxy?: readonly string[];
  readonly clock?: Clock;
  readonly sleep?: Sleep;
}

/** Audit entries, usage and tunnels that the proxy reported. */
interface Records {
  readonly noted: AuditEntry[];
  readonly refused: AuditEntry[];
  /** Bytes, by workspace. */
  readonly metered: Map<string, number>;
  /** The number of tunnels opened. */
  tunnels: number;
}

interface ScriptedApi {
  answer: RequestListener;
  readonly server: Server;
}

/**
 * The whole way from a client to an API server, except the sockets of the platform and its database; with the target
 * `web`.
 */
export class DoorWorld {
  readonly records: Records;
  readonly fleet: FleetWorld;
  readonly fleetlet: TestFleetlet;
  /** `http://127.0.0.1:…/targets/web/api` */
  readonly url: string;
  /** The behaviour of the scripted API server. */
  readonly api: ScriptedApi;
  /** Whether the agent still serves the target. */
  readonly agent: { isServing: boolean };
  /** As at a shutdown of the platform. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly index: AccessIndex;
  readonly streams: OpenStreams;
  /** Revoked tokens. */
  readonly revoked: Set<string>;
  /** Stored changes of the target that the index does not have yet. */
  readonly stored: { arrives: () => void };

  private constructor(
    parts: Pick<
      DoorWorld,
      | 'records'
      | 'fleet'
      | 'fleetlet'
      | 'url'
      | 'api'
      | 'agent'
      | 'stop'
      | 'close'
      | 'index'
      | 'streams'
      | 'revoked'
      | 'stored'
    >,
  ) {
    ({ records: this.records, fleet: this.fleet, fleetlet: this.fleetlet, url: this.url } = parts);
    ({ api: this.api, agent: this.agent, stop: this.stop, close: this.close } = parts);
    ({ index: this.index, streams: this.streams, revoked: this.revoked, stored: this.stored } = parts);
  }

  static async open(options: DoorWorldOptions = {}): Promise<DoorWorld> {
    const fleet = new FleetWorld({ heartbeatMs: 30_000 });
    const fleetlet = await fleet.fleetlet('edge');
    const api = await scriptedApi();
    const records: Records = { noted: [], refused: [], metered: new Map(), tunnels: 0 };
    const agent = await openAgent(await fleetlet.agentOf('web'), options.server ?? addressOf(api.server));
    const [index, revoked] = [treeOf(), new Set<string>()];
    const authenticator: Authenticator = {
      authenticate: async ({ bearer }) => (revoked.has(bearer ?? '') ? undefined : personOf(bearer)),
    };
    const { clock = systemClock, sleep = realSleep } = options;
    const streams = new OpenStreams({ authenticator, log: SILENT, clock, sleep });
    index.onLoss(() => streams.changed());
    const stored = { arrives: (): void => {} };
    const proxy = openProxy({ fleet, records, options, index, authenticator, streams, stored });
    const over = new AbortController();
    const running = Promise.all([proxy.runnable.run(over.signal), streams.run(over.signal)]);
    const stop = async (): Promise<void> => {
      over.abort();
      await running;
    };
    const front = createServer({ shouldUpgradeCallback: () => true });
    front.on('request', (...asked) => proxy.request(...asked));
    front.on('upgrade', (...asked) => proxy.upgrade(...asked));
    await once(front.listen(0, '127.0.0.1'), 'listening');
    const close = async (): Promise<void> => {
      await stop();
      front.closeAllConnections();
      api.server.closeAllConnections();
      await agent.close();
      await Promise.all([once(front.close(), 'close'), once(api.server.close(), 'close'), fleet.close()]);
    };
    const url = `${addressOf(front)}/targets/web/api`;
    return new DoorWorld({ records, fleet, fleetlet, api, agent, url, stop, close, index, streams, revoked, stored });
  }

  /** Sends a request as that person; resolves with the response head. */
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

/** Closed after the test. */
export async function doorStage(
  t: { after(fn: () => Promise<void>): void },
  options?: DoorWorldOptions,
): Promise<DoorWorld> {
  const world = await DoorWorld.open(options);
  t.after(() => world.close());
  return world;
}

/** The refusal, as kubectl would read it. */
export async function statusIn(response: IncomingMessage) {
  const { kind, reason, message, code } = JSON.parse(await textOf(response)) as Record<string, unknown>;
  assert.deepEqual([kind, code], ['Status', response.statusCode]);
  return { code, reason, message: String(message) };
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

async function openAgent(client: LocalClient, server: string) {
  const config = configOf(server);
  const kube = createKubeClient({ config });
  const cluster = openApiCluster({ users: 'all', config, kube });
  const agent = { isServing: true };
  const unserve = serveApiProxy({ client, clusterOf: () => (agent.isServing ? cluster : undefined), log: SILENT });
  return Object.assign(agent, {
    close: async (): Promise<void> => {
      unserve();
      await cluster.close();
      await kube.close();
    },
  });
}

interface ProxyParts {
  readonly fleet: FleetWorld;
  readonly records: Records;
  readonly options: DoorWorldOptions;
  readonly index: AccessIndex;
  readonly authenticator: Authenticator;
  readonly streams: OpenStreams;
  readonly stored: DoorWorld['stored'];
}

function openProxy({ fleet, records, options, index, authenticator, streams, stored }: ProxyParts): ApiProxy {
  const { limits, requestsPerMinute = 1_000_000, hasPassthrough = false, trustProxy = [] } = options;
  const { noted, refused, metered } = records;
  return openApiProxy({
    hub: {
      openBytes: (...wanted) => {
        records.tunnels += 1;
        return fleet.hub.openBytes(...wanted);
      },
    },
    authenticator,
    streams,
    authorizer: authorizerOf(new IndexedDecisions(index), { workspace: workspaceNotFound, target: targetNotFound }),
    audit: {
      append: async () => {},
      note: async (entry) => void noted.push(entry),
      refused: async (entry) => void refused.push(entry),
    },
    targetOf: (name) => {
      const [target, workspace] = index.lineageOf({ kind: 'target', name });
      return (
        target &&
        workspace && { uid: target.uid === uid(UIDS.web) ? `uid-${name}` : target.uid, workspace: workspace.name }
      );
    },
    catchUp: async () => stored.arrives(),
    authenticateAt: async (target, bearer) =>
      hasPassthrough && bearer.endsWith(`.at.${target}`) ? personOf(bearer.split('.')[0]) : undefined,
    requestsPerMinute,
    trustProxy,
    meter: (workspace, bytes) => void metered.set(workspace, (metered.get(workspace) ?? 0) + bytes),
    metrics: createMetrics(),
    log: SILENT,
    ...(limits && { limits }),
  });
}

const SILENT = createLogger({ level: 'silent', destination: process.stderr, pretty: false });

/** A token may be a JWT whose first part is the name; a token for a target is not accepted here. */
function personOf(bearer: string | undefined): Principal | undefined {
  const [name = '', at] = bearer?.split('.') ?? [];
  if (at === 'at') return undefined;
  if (!Object.hasOwn(PEOPLE, name)) return undefined;
  return { kind: 'user', id: name, groups: ['staff', 'system:masters'] };
}

const UIDS = { root: 1, shop: 2, web: 3 } as const;

function uid(number: number): ReturnType<typeof parseUuid> {
  return parseUuid(`00000000-0000-7000-8000-${String(number).padStart(12, '0')}`);
}

/** `web` is in the workspace `shop`, on which each person has the role above; Oscar has none. */
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

async function scriptedApi(): Promise<ScriptedApi> {
  const server: Server = createServer({ shouldUpgradeCallback: () => server.listenerCount('upgrade') > 0 });
  const api: ScriptedApi = { server, answer: (_asked, response) => response.end('{}') };
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
