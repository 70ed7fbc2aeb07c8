import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CredentialKind } from '#contexts/identity';
import { leaveAdminCode } from '#contexts/identity/adapters';
import type { Engine } from '#kit/storage';
import { type SigningIssuer, startSigningIssuer } from '#testing/oidc/signing-issuer';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { addCaller, made, STAFF } from '../access/callers.ts';
import { AgentProcess } from '../kubectl/agent-process.ts';
import { API_STREAMS, type ClientStream, type Headers, openStream } from './open-stream.ts';
import { type StreamingCluster, startStreamingCluster } from './streaming-cluster.ts';

export const TARGET = 'prod-1';

/** A caller with open streams, about to lose access to them. */
export interface StreamCaller {
  readonly name: string;
  readonly headers: Headers;
  /** The grant that lets it write to the target, where it has one. */
  readonly grant: string | undefined;
  /** The id of its service account token, where it uses one. */
  readonly token: string;
  readonly subject: { readonly kind: string; readonly id: string } | undefined;
}

/**
 * A platform, a cluster behind it whose streams never end by themselves, and an issuer. Workspace `org` contains `shop`,
 * which contains the target.
 */
export class RevocationWorld {
  readonly home: PlatformHome;
  readonly platform: Platform;
  readonly cluster: StreamingCluster;
  readonly issuer: SigningIssuer;
  readonly folder: string;
  readonly #agent: AgentProcess;

  private constructor(
    parts: Pick<RevocationWorld, 'home' | 'platform' | 'cluster' | 'issuer' | 'folder'>,
    agent: AgentProcess,
  ) {
    ({ home: this.home, platform: this.platform, cluster: this.cluster } = parts);
    ({ issuer: this.issuer, folder: this.folder } = parts);
    this.#agent = agent;
  }

  static async open(engine: Engine): Promise<RevocationWorld> {
    const home = await platformHome(engine);
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-revocation-'));
    const [cluster, issuer] = [await startStreamingCluster(), await startSigningIssuer()];
    const platform = await home.start({ flags: ['--key-file', join(folder, 'keys.json')] });
    for (const name of [STAFF, 'org', 'elsewhere']) await made(platform, '/v1/workspaces', { name, parent: 'root' });
    await made(platform, '/v1/workspaces', { name: 'shop', parent: 'org' });
    const agent = await serveTarget({ platform, cluster, folder, socket: join(home.data, 'fleetlet.sock') });
    return new RevocationWorld({ home, platform, cluster, issuer, folder }, agent);
  }

  async close(): Promise<void> {
    await this.#agent.kill();
    await this.home.dispose();
    await Promise.all([this.cluster.close(), this.issuer.close()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Sends a request as the administrator; it must succeed. */
  async admin(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.platform.request(path, { method, ...(body && { body }) });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
  }

  /** Sends a request with the caller's credentials. */
  async as({ headers }: StreamCaller, method: string, path: string): Promise<unknown> {
    const answer = await fetch(`${this.platform.url}${path}`, { method, headers });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async caller(kind: CredentialKind, name: string): Promise<StreamCaller> {
    switch (kind) {
      case 'accountToken': {
        const { token, subject } = await addCaller(this.platform, { name });
        return await this.#granted({ name, headers: bearer(token), token: token.split('_')[1] ?? '', subject });
      }
      case 'issuerToken': {
        const { url } = this.issuer;
        await this.admin('DELETE', '/v1/issuers/corp').catch(() => {});
        await made(this.platform, '/v1/issuers', { name: 'corp', url, clientId: 'fleet', mode: 'inherited' });
        const headers = bearer(await this.issuer.sign({ sub: name, aud: 'fleet' }));
        const me = await fetch(`${this.platform.url}/v1/access/identity`, { headers });
        const { kind: whose, id } = (await me.json()) as { readonly kind: string; readonly id: string };
        return await this.#granted({ name, headers, token: '', subject: { kind: whose, id } });
      }
      case 'cliSession':
      case 'browserSession':
        return { name, headers: await this.#session(kind), grant: undefined, token: '', subject: undefined };
      case 'adminToken':
        return { name, headers: bearer(this.platform.token), grant: undefined, token: '', subject: undefined };
    }
  }

  /** Opens a stream of every kind. */
  async openAll({ name, headers }: StreamCaller): Promise<{ readonly kind: string; readonly stream: ClientStream }[]> {
    const kinds = Object.entries(API_STREAMS);
    return await Promise.all(
      kinds.map(async ([kind, { path, isUpgrade }]) => {
        const id = `${name}-${kind}`;
        const url = `${this.platform.url}/targets/${TARGET}/api${path}&id=${id}`;
        const stream = await openStream(url, headers, isUpgrade);
        const held = await this.cluster.held(id);
        held.say(`before ${id}`);
        await stream.until(`before ${id}`);
        return { kind, stream };
      }),
    );
  }

  async #granted(caller: Omit<StreamCaller, 'grant'>): Promise<StreamCaller> {
    const { subject, name } = caller;
    const own = `own-${name}`;
    await made(this.platform, '/v1/workspaces', { name: own, parent: 'root' });
    await made(this.platform, `/v1/workspaces/${own}/grants`, { subject, role: 'viewer' });
    const { name: grant } = await made(this.platform, '/v1/workspaces/org/grants', { subject, role: 'cluster-editor' });
    return { ...caller, grant: String(grant) };
  }

  /** A session of the administrator, opened with a code stored on the machine. */
  async #session(kind: 'cliSession' | 'browserSession'): Promise<Headers> {
    const { code } = leaveAdminCode(this.home.data, Date.now());
    const { origin } = new URL(this.platform.url);
    const asked = { code, kind: kind === 'cliSession' ? 'cli' : 'browser' };
    const answer = await fetch(`${origin}/v1/login:redeem`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, 'x-fleetshift-csrf': '1' },
      body: JSON.stringify(asked),
    });
    const text = await answer.text();
    assert.ok(answer.ok, text);
    if (kind === 'cliSession') return bearer((JSON.parse(text) as { readonly token: string }).token);
    const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    return { cookie, origin, 'x-fleetshift-csrf': '1' };
  }
}

export function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

export interface ServedTarget {
  readonly platform: Platform;
  readonly cluster: StreamingCluster;
  readonly folder: string;
  readonly socket: string;
}

/** Serves the target in `shop` by an agent, and waits until it is connected. */
export async function serveTarget({ platform, cluster, folder, socket }: ServedTarget): Promise<AgentProcess> {
  await made(platform, '/v1/targets', { name: TARGET, type: 'kubernetes', workspace: 'shop' });
  const bound = await platform.request('/v1/fleetlets/platform:bind', { method: 'POST', body: { target: TARGET } });
  assert.ok(bound.ok, await bound.text());
  const kubeconfig = await cluster.writeKubeconfig(folder);
  const agent = new AgentProcess({ platform, socket, target: TARGET, kubeconfig, folder });
  await agent.start();
  const reached = async (): Promise<boolean> => (await platform.request(`/targets/${TARGET}/api/version`)).ok;
  await eventually('the target is reached', reached);
  return agent;
}
