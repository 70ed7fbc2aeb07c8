import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionHub } from '#contexts/channels';
import {
  CHANNEL_METHOD,
  decodeControlRequest,
  encodeControlReply,
  frameAcceptor,
  sha256,
} from '#contexts/channels/adapters';
import { AgentRegistry, type DeliveryAgent } from '#contexts/delivery';
import { StatusIntake } from '#contexts/delivery/adapters';
import { Secret, sleep, systemClock, uuidv7 } from '#kit/std';
import { listenGrpc } from '#kit/transport/grpc';
import type { TargetId, TargetRef } from '#protocol/targets';
import type { TestCluster } from '#testing/clusters';
import { MAIN } from '#testing/product';
import { ServerProcess } from '#testing/server-process';
import { channelDelivery } from '../../apps/platform/channels/channel-delivery.ts';
import { kubeconfigOf } from '../../apps/platform/proxy-agent/testing/kubeconfig-of.ts';
import { enrol, FLEETLET } from '../fleetlet-faults/faulty-world.ts';
import { TestReports } from './test-reports.ts';

export const PROCESSES = ['fleetlet', 'agent'] as const;
export type ProcessName = (typeof PROCESSES)[number];

const HEARTBEAT_MS = 1_000;
const LOOK_MS = 20;
export const TARGET: TargetRef = { id: uuidv7() as string as TargetId, name: 'real', type: 'kubernetes' };

/**
 * The platform's end of channels in this process; and behind it a fleetlet and a Kubernetes agent as the product's own
 * processes, which are killed and started again.
 */
export class AgentProcesses {
  readonly reports: TestReports;
  readonly #folder: string;
  readonly #agents: AgentRegistry;
  readonly #close: () => Promise<void>;
  readonly #running = new Map<ProcessName, ServerProcess>();
  readonly #port: number;
  readonly #home = `agent-${randomBytes(5).toString('hex')}`;
  #logs = 0;

  static async open(cluster: TestCluster, signal: AbortSignal): Promise<AgentProcesses> {
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-agent-processes-'));
    await writeFile(join(folder, 'kubeconfig'), kubeconfigOf({ [TARGET.name]: cluster }));
    const processes = new AgentProcesses({ folder, ...(await servePlatform(join(folder, 'data'))) });
    try {
      for (const name of PROCESSES) processes.#start(name);
      await processes.connected(signal);
    } catch (error) {
      await processes.close();
      throw error;
    }
    return processes;
  }

  private constructor({ folder, port, agents, reports, close }: Served & { readonly folder: string }) {
    this.#folder = folder;
    this.#port = port;
    this.#agents = agents;
    this.#close = close;
    this.reports = reports;
  }

  /** As the pipeline calls it: it tries again until the agent is back. */
  get agent(): DeliveryAgent {
    return {
      dispatch: async (order, signal) => {
        for (;;) {
          await this.connected(signal);
          const answer = await this.#agents.agentFor(TARGET)?.dispatch(order, signal).catch(stopAt(signal));
          if (answer !== undefined && answer.kind !== 'offline') return answer;
          await sleep(LOOK_MS, signal);
        }
      },
      cancel: async (order, signal) => {
        await this.connected(signal);
        await this.#agents.agentFor(TARGET)?.cancel(order, signal);
      },
      preview: async (order, signal) => {
        await this.connected(signal);
        return await this.#agents.agentFor(TARGET)?.preview(order, signal);
      },
    };
  }

  /** SIGKILL, and the next process begins. */
  async kill(name: ProcessName): Promise<void> {
    await this.#running.get(name)?.stop('SIGKILL');
    this.#start(name);
  }

  async connected(signal: AbortSignal): Promise<void> {
    while (this.#agents.agentFor(TARGET) === undefined) await sleep(LOOK_MS, signal).catch(() => this.#fail(signal));
  }

  /** Its own records are in a namespace that the caller removes. */
  get home(): string {
    return this.#home;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map((each) => each.stop('SIGKILL')));
    await this.#close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #start(name: ProcessName): void {
    const data = join(this.#folder, 'data');
    const args =
      name === 'fleetlet'
        ? ['fleetlet', '--platform', `localhost:${this.#port}`, '--data', data]
        : ['agent', 'kubernetes', '--kubeconfig', join(this.#folder, 'kubeconfig'), '--context', TARGET.name];
    const own = ['--fleetlet-socket', join(data, 'fleetlet.sock'), '--agent-namespace', this.#home];
    this.#logs += 1;
    const started = new ServerProcess({
      program: process.execPath,
      args: [MAIN, ...args, '--log-format', 'json', ...(name === 'agent' ? own : [])],
      folder: this.#folder,
      log: join(this.#folder, `${name}-${this.#logs}.log`),
      env: { NODE_NO_WARNINGS: '1' },
    });
    this.#running.set(name, started);
  }

  async #fail(signal: AbortSignal): Promise<never> {
    const said = [...this.#running].map(([name, { said }]) => `--- ${name}\n${said}`).join('\n');
    throw new Error(`the target is not served\n${said}`, { cause: signal.reason });
  }
}

interface Served {
  readonly port: number;
  readonly agents: AgentRegistry;
  readonly reports: TestReports;
  readonly close: () => Promise<void>;
}

/** Takes every fleetlet that the test has enrolled, and binds it to the target. */
async function servePlatform(data: string): Promise<Served> {
  const { cert, key } = enrol(data);
  const over = new AbortController();
  const agents = new AgentRegistry();
  const reports = new TestReports();
  const intake = new StatusIntake({ store: (all) => reports.store(all), sleep, onRetry: () => {} });
  const delivery = channelDelivery({
    hub: () => hub,
    agents,
    intake,
    connectionChanged: (changes) => reports.connectionChanged(changes),
    clock: systemClock,
    setAside: ({ error }) => reports.refused(error),
  });
  const hub: SessionHub = new SessionHub({
    directory: {
      authenticate: async () => ({ kind: 'known', uid: FLEETLET, issuedAt: 0, notAfter: Infinity, renewSoon: false }),
      bind: async () => ({ kind: 'bound', target: { uid: TARGET.id, name: TARGET.name, type: TARGET.type } }),
      describe: async () => undefined,
      welcome: async () => ({ platform: 'test', platformVersion: '1', authorities: '', ticketKey: '' }),
    },
    presence: delivery.presence,
    observer: { message: () => {}, fact: () => {} },
    codec: { decodeRequest: decodeControlRequest, encodeReply: encodeControlReply },
    activity: () => ({ kind: 'active' }),
    session: uuidv7(),
    clock: systemClock,
    sleep,
    random: Math.random,
    newId: uuidv7,
    sha256,
    heartbeatMs: HEARTBEAT_MS,
  });
  hub.handle('delivery', delivery.handlers.delivery);
  hub.handle('status', delivery.handlers.status);
  const at = { host: '127.0.0.1', port: 0 };
  const tls = { cert, key: new Secret(key) };
  const server = await listenGrpc({ at, tls, path: CHANNEL_METHOD, accept: frameAcceptor(hub.accept) });
  const running = Promise.all([hub.run(over.signal), intake.run(over.signal)]);
  running.catch(() => {});
  return {
    port: 'port' in server.address ? server.address.port : 0,
    agents,
    reports,
    close: async () => {
      over.abort();
      await server.close();
      await running.catch(() => {});
    },
  };
}

/** An attempt that fails is repeated, unless the caller has given up. */
function stopAt(signal: AbortSignal): () => undefined {
  return () => {
    signal.throwIfAborted();
    return undefined;
  };
}
