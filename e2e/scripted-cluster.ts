import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { json } from 'node:stream/consumers';
import { stringify } from 'yaml';
import type { KubeObject } from '#kit/kube';
import { FakeApiServer } from '#kit/kube/testing';
import { Refused } from '../kit/kube/testing/fake/refused.ts';

export interface LoopbackServer {
  readonly url: string;
  close(): Promise<void>;
}

type Upgrade = (asked: IncomingMessage, socket: Duplex) => void;

/** Serves plain HTTP on a free loopback port. */
export async function serveOnLoopback(answer: RequestListener, upgrade?: Upgrade): Promise<LoopbackServer> {
  const server = createServer(upgrade === undefined ? {} : { shouldUpgradeCallback: () => true }, answer);
  if (upgrade !== undefined) server.on('upgrade', upgrade);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    // Upgraded connections end when their other side does.
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** An API server's refusal of an object. */
export interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

export interface ClusterScript {
  /** The path to forward a request with; `undefined` if the script has answered it. */
  readonly passes?: (asked: IncomingMessage, response: ServerResponse) => string | undefined;
  /** Handles upgrades; refused by default. */
  readonly upgrade?: Upgrade;
  /** The answer to an apply, dry runs included; `undefined` to accept the object. */
  readonly refuses?: (object: KubeObject) => Refusal | undefined;
}

/**
 * A small in-process cluster: it lets its callers do everything, and applies objects without regard to other field
 * managers.
 */
export async function startScriptedCluster({
  passes = ({ url = '' }) => url,
  upgrade,
  refuses = () => undefined,
}: ClusterScript = {}): Promise<LoopbackServer> {
  const fake = await FakeApiServer.start();
  const front = await serveOnLoopback((asked, response) => {
    const path = passes(asked, response);
    if (path === undefined) return;
    if (path.endsWith('selfsubjectaccessreviews')) {
      asked.resume();
      return send(response, 200, { status: { allowed: true } });
    }
    if (asked.headers['content-type'] !== 'application/apply-patch+yaml') return passOn(fake, path, asked, response);
    json(asked)
      .then((object) => applied(fake, path, object as KubeObject, refuses))
      .catch((error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        return { code: error.httpStatus, body: error.toStatus() };
      })
      .then(
        ({ code, body }) => send(response, code, body),
        () => response.destroy(),
      );
  }, upgrade);
  return {
    url: front.url,
    close: async () => {
      await front.close();
      await fake.close();
    },
  };
}

/** A kubeconfig without credentials. */
export function kubeconfigFor(server: string): string {
  return JSON.stringify({
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'c', user: {} }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
  });
}

/** A kubeconfig file for a cluster's agent; its only context is named `context`. */
export async function writeAgentKubeconfig(folder: string, server: string): Promise<string> {
  const file = join(folder, 'agent.kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'x', cluster: { server } }],
    users: [{ name: 'x', user: { token: 'of-the-agent' } }],
    contexts: [{ name: 'context', context: { cluster: 'x', user: 'x' } }],
    'current-context': 'context',
  };
  await writeFile(file, stringify(config), { mode: 0o600 });
  return file;
}

function passOn(fake: FakeApiServer, path: string, asked: IncomingMessage, response: ServerResponse): void {
  const { method = '', headers } = asked;
  const onward = httpRequest(`${fake.url}${path}`, { method, headers, agent: false }, (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, incoming.headers);
    incoming.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  asked.pipe(onward);
}

/** Server-side apply, reduced to what a single field manager can observe. */
function applied(
  { api }: FakeApiServer,
  url: string,
  object: KubeObject,
  refuses: NonNullable<ClusterScript['refuses']>,
): { readonly code: number; readonly body: object } {
  const refusal = refuses(object);
  if (refusal !== undefined) return { code: refusal.code, body: { kind: 'Status', status: 'Failure', ...refusal } };
  const { pathname: path, searchParams: query } = new URL(url, 'http://x');
  const ask = (method: string, at: string, body?: KubeObject): KubeObject =>
    api.answer({ method, path: at, query, headers: {}, watch: false }, body).body as KubeObject;
  const { apiVersion, kind: _, metadata, ...rest } = object;
  const fieldsV1 = fieldsOf({ metadata: { labels: metadata.labels ?? {} }, ...rest });
  const manager = query.get('fieldManager') ?? '';
  const managedFields = [{ manager, operation: 'Apply' as const, apiVersion, fieldsType: 'FieldsV1', fieldsV1 }];
  let before: KubeObject;
  try {
    before = ask('GET', path);
  } catch {
    before = ask('POST', path.slice(0, path.lastIndexOf('/')), object);
    // A dry run stored nothing that could be updated.
    if (query.has('dryRun')) return { code: 201, body: { ...before, metadata: { ...before.metadata, managedFields } } };
  }
  const next = { ...before, ...object, metadata: { ...before.metadata, ...metadata, managedFields } };
  return { code: 200, body: ask('PUT', path, next) };
}

function fieldsOf(value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, its]) => [`f:${name}`, fieldsOf(its)]));
}

function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
