import { join } from 'node:path';
import type { Platform } from '#testing/platform-process';
import { MAIN } from '#testing/product';
import { ServerProcess } from '#testing/server-process';
import { eventually } from '../../kit/durable/testing/eventually.ts';

export interface AgentProcessOptions {
  readonly platform: Platform;
  /** The fleetlet's socket. */
  readonly socket: string;
  readonly target: string;
  /** An administrator's kubeconfig; its only context is named `context`. */
  readonly kubeconfig: string;
  readonly folder: string;
  readonly flags?: readonly string[];
}

/** `fleetshift agent kubernetes`, connected to the platform's built-in fleetlet. */
export class AgentProcess {
  readonly #options: AgentProcessOptions;
  #running: ServerProcess | undefined;

  constructor(options: AgentProcessOptions) {
    this.#options = options;
  }

  /** Resolves once its target is connected. */
  async start(): Promise<void> {
    const { platform, socket, target, kubeconfig, folder, flags = [] } = this.#options;
    const agent = new ServerProcess({
      program: process.execPath,
      args: [
        MAIN,
        'agent',
        'kubernetes',
        '--kubeconfig',
        kubeconfig,
        '--target',
        `${target}=context`,
        '--fleetlet-socket',
        socket,
        ...flags,
      ],
      folder,
      log: join(folder, 'agent.log'),
    });
    this.#running = agent;
    await eventually('the target is connected', async () => {
      if (agent.hasEnded) throw new Error(agent.said);
      const answer = await platform.request(`/v1/targets/${target}`);
      const { connection } = (await answer.json()) as { readonly connection: { readonly state: string } };
      return connection.state === 'Connected';
    });
  }

  /** SIGKILL, as if its machine had lost power. */
  async kill(): Promise<void> {
    await this.#running?.stop('SIGKILL');
    this.#running = undefined;
  }
}
