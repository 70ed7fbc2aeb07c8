import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { roleBindings } from '#contexts/api-proxy';
import { sharedCluster, type TestCluster } from '#testing/clusters';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { runCommand } from '../../apps/cli/testing/processes.ts';
import { type KubectlOptions, type KubectlResult, runKubectl } from '../../testing/clusters/kubectl.ts';
import { addCaller, made, STAFF } from '../access/callers.ts';
import { AgentProcess } from './agent-process.ts';

const FLEETSHIFT = fileURLToPath(new URL('../../bin/fleetshift', import.meta.url));
export const TARGET = 'prod-1';
/** The people by what they are in the cluster; `ci` may deploy, and nothing in the cluster itself. */
const ROLES = { viewer: 'cluster-viewer', deployer: 'cluster-editor', admin: 'admin', ci: 'deployer' } as const;
/** `stranger` has a role elsewhere. */
export type Who = keyof typeof ROLES | 'stranger';

/**
 * A platform, a real cluster behind it as the target `prod-1`, and kubeconfigs of several people that lead through the
 * platform.
 */
export class KubectlWorld {
  readonly cluster: TestCluster;
  readonly home: PlatformHome;
  readonly platform: Platform;
  readonly agent: AgentProcess;
  readonly folder: string;
  readonly tokens: Readonly<Record<Who, string>>;

  private constructor(parts: Pick<KubectlWorld, 'cluster' | 'home' | 'platform' | 'agent' | 'folder' | 'tokens'>) {
    ({ cluster: this.cluster, home: this.home, platform: this.platform } = parts);
    ({ agent: this.agent, folder: this.folder, tokens: this.tokens } = parts);
  }

  static async open(signal: AbortSignal): Promise<KubectlWorld> {
    const cluster = await sharedCluster('nodes', signal);
    const home = await platformHome('sqlite');
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-kubectl-'));
    const platform = await home.start();
    for (const name of [STAFF, 'shop', 'elsewhere']) await made(platform, '/v1/workspaces', { name, parent: 'root' });
    await made(platform, '/v1/targets', { name: TARGET, type: 'kubernetes', workspace: 'shop' });
    const bound = await platform.request('/v1/fleetlets/platform:bind', { method: 'POST', body: { target: TARGET } });
    assert.ok(bound.ok, await bound.text());
    const socket = join(home.data, 'fleetlet.sock');
    const kubeconfig = cluster.kubeconfigFile();
    const agent = new AgentProcess({ platform, socket, target: TARGET, kubeconfig, folder });
    await agent.start();
    const world = new KubectlWorld({ cluster, home, platform, agent, folder, tokens: await tokensOf(platform) });
    const bindings = roleBindings().map((binding) => JSON.stringify(binding));
    const applied = await cluster.kubectl(['apply', '-f', '-'], { input: bindings.join('\n---\n') });
    assert.equal(applied.code, 0, applied.stderr);
    for (const [who, token] of Object.entries(world.tokens)) await world.#writeKubeconfig(who, token);
    return world;
  }

  get authorityFile(): string {
    return join(this.home.data, 'tls', 'ca.crt');
  }

  get apiUrl(): string {
    return `${this.platform.tlsUrl}/targets/${TARGET}/api`;
  }

  kubeconfigOf(who: Who): string {
    return join(this.folder, `${who}.kubeconfig`);
  }

  /** Runs kubectl through the platform. A non-zero exit code is returned, not thrown. */
  async kubectl(args: readonly string[], { as = 'admin', ...options }: KubectlOptions & { readonly as?: Who } = {}) {
    return await this.kubectlWith(this.kubeconfigOf(as), args, options);
  }

  async kubectlWith(kubeconfig: string, args: readonly string[], options: KubectlOptions = {}): Promise<KubectlResult> {
    return await runKubectl({ args, kubeconfig, folder: this.folder }, options);
  }

  /** Returns the output; throws unless the command succeeds. */
  async succeeds(args: readonly string[], options: KubectlOptions & { readonly as?: Who } = {}): Promise<string> {
    const { code, stdout, stderr } = await this.kubectl(args, options);
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stdout.slice(-500)}${stderr.slice(-2_000)}`);
    return stdout;
  }

  /** Runs the real CLI with the token file of this caller. */
  async cli(who: Who, ...args: string[]): Promise<string> {
    const place = [
      '--server',
      this.platform.tlsUrl,
      '--ca-file',
      this.authorityFile,
      '--token-file',
      this.tokenFile(who),
    ];
    const { code, out, err } = await runCommand([...args, ...place], { HOME: this.folder });
    assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
    return out;
  }

  tokenFile(who: Who): string {
    return join(this.folder, `${who}.token`);
  }

  get program(): string {
    return FLEETSHIFT;
  }

  async close(): Promise<void> {
    await this.agent.kill();
    await this.home.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Contains the token itself, which saves each command a credential process. */
  async #writeKubeconfig(who: string, token: string): Promise<void> {
    const cluster = { server: this.apiUrl, 'certificate-authority': this.authorityFile };
    const text = stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'x', cluster }],
      users: [{ name: 'x', user: { token } }],
      contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
      'current-context': 'x',
    });
    await writeFile(join(this.folder, `${who}.kubeconfig`), text, { mode: 0o600 });
    await writeFile(join(this.folder, `${who}.token`), token, { mode: 0o600 });
  }
}

async function tokensOf(platform: Platform): Promise<Record<Who, string>> {
  const tokens: Record<Who, string> = { viewer: '', deployer: '', admin: '', ci: '', stranger: '' };
  for (const [who, role] of Object.entries(ROLES) as [keyof typeof ROLES, (typeof ROLES)[keyof typeof ROLES]][]) {
    const given = [{ role, on: 'workspaces/shop' }];
    tokens[who] = (await addCaller(platform, { name: who, given })).token;
  }
  const given = [{ role: 'admin', on: 'workspaces/elsewhere' }] as const;
  tokens.stranger = (await addCaller(platform, { name: 'stranger', given })).token;
  return tokens;
}
