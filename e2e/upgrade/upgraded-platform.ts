import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Engine } from '#kit/storage';
import { PATIENCE_MS } from '#testing/patience';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { MAIN, SIMULATED } from '#testing/product';
import { ServerProcess } from '#testing/server-process';
import { AgentLog, type TakenOrder } from '../rollouts/agent-log.ts';
import { DeploymentClient } from '../rollouts/deployment-client.ts';

const WORKSPACE = 'shop';
/** Simulated targets, always online. */
const SIMULATED_TARGETS = ['s-1', 's-2', 's-3', 's-4'];

/** The target whose agent is killed before its platform is. */
export interface ServedTarget {
  readonly name: string;
  /** Its type, which is also the name of its agent. */
  readonly type: 'directory' | 'kubernetes';
  /** Flags of the agent, but for the socket of its fleetlet. */
  readonly flags: readonly string[];
}

const LOOK_MS = 50;

interface Programs {
  readonly platform: string;
  readonly cli: string;
}

/** A platform that an earlier package ran and left by SIGKILL, and that this version opens. */
export class UpgradedPlatform {
  /** For files of the target and of its agent. */
  readonly folder: string;
  readonly #home: PlatformHome;
  readonly #served: ServedTarget;
  readonly #log: AgentLog;
  #platform: Platform | undefined;
  #agent: ServerProcess | undefined;
  #client: DeploymentClient | undefined;

  private constructor(home: PlatformHome, folder: string, served: ServedTarget) {
    this.#home = home;
    this.folder = folder;
    this.#served = served;
    this.#log = new AgentLog(home.data);
  }

  static async create(engine: Engine, served: (folder: string) => ServedTarget): Promise<UpgradedPlatform> {
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-upgrade-'));
    return new UpgradedPlatform(await platformHome(engine), folder, served(folder));
  }

  get client(): DeploymentClient {
    return this.#client ?? assert.fail('no platform runs');
  }

  /** Flags for commands that work on its data folder and database. */
  get place(): readonly string[] {
    return ['--data', this.#home.data, '--database', this.#home.database];
  }

  async startEarlier(packageFolder: string): Promise<void> {
    const programs = { platform: join(packageFolder, 'serve-simulated.js'), cli: join(packageFolder, 'fleetshift.js') };
    await this.#start(programs);
    const targets = SIMULATED_TARGETS.map((name) => ({ name, labels: { is: name } }));
    await this.client.settle(targets);
    const { name, type } = this.#served;
    await this.client.asked('POST', '/v1/targets', { name, type, workspace: WORKSPACE });
    await this.client.asked('POST', '/v1/fleetlets/platform:bind', { target: name });
    await this.#startAgent(programs);
  }

  async startThis(): Promise<void> {
    const programs = { platform: SIMULATED, cli: MAIN };
    await this.#start(programs);
    await this.#startAgent(programs);
  }

  async killAgent(): Promise<void> {
    await this.#agent?.stop('SIGKILL');
    this.#agent = undefined;
    await this.#untilServed('Disconnected');
  }

  /** Ends the platform by SIGKILL, and its agent. Returns the orders that the simulated targets took from it. */
  async kill(): Promise<readonly TakenOrder[]> {
    await this.#platform?.kill();
    await this.#agent?.stop('SIGKILL');
    return this.#log.takeIn();
  }

  /** Creates a simulated target that matches selectors of this ring. */
  async addTarget(name: string, ring: string): Promise<void> {
    const body = { name, type: 'simulated', workspace: WORKSPACE, labels: { is: name, ring } };
    await this.client.asked('POST', '/v1/targets', body);
  }

  async createWorkspace(name: string, key: string): Promise<unknown> {
    const platform = this.#platform ?? assert.fail('no platform runs');
    const init = { method: 'POST', headers: { 'idempotency-key': key }, body: { name } };
    const answer = await platform.request('/v1/workspaces', init);
    return { status: answer.status, body: await answer.json() };
  }

  async dispose(): Promise<void> {
    await this.#agent?.stop('SIGKILL');
    await this.#home.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #start({ platform }: Programs): Promise<void> {
    this.#platform = await this.#home.start({ program: pathToFileURL(platform), flags: ['--rate-limit', '1000000'] });
    this.#client = new DeploymentClient(this.#platform, WORKSPACE);
  }

  async #startAgent({ cli }: Programs): Promise<void> {
    const { type, flags } = this.#served;
    const socket = join(this.#home.data, 'fleetlet.sock');
    this.#agent = new ServerProcess({
      program: process.execPath,
      args: [cli, 'agent', type, '--fleetlet-socket', socket, ...flags],
      folder: this.folder,
      log: join(this.folder, 'agent.log'),
    });
    await this.#untilServed('Connected');
  }

  async #untilServed(state: 'Connected' | 'Disconnected'): Promise<void> {
    const { name } = this.#served;
    await until(`${name} to be ${state}`, async () => {
      if (this.#agent?.hasEnded) assert.fail(this.#agent.said);
      const { connection } = await this.client.asked('GET', `/v1/targets/${name}`);
      return (connection as { state: string } | undefined)?.state === state;
    });
  }
}

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, `waited for ${what}`);
    await delay(LOOK_MS);
  }
}
