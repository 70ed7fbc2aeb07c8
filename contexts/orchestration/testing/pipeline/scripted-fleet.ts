import { type LabelSelector, matchesSelector, sleep as realSleep, type Sleep, type Uuid } from '#kit/std';
import type { Acknowledgement, DeliveryOrder, DeliveryReport, Health } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { Observer, PoolTarget, TargetPool, TargetRouter } from '../../application/ports.ts';
import { isReached } from '../../domain/placement/testing/is-reached.ts';
import { LOCAL_TARGET_ID } from '../../domain/target-view.ts';
import { aPoolTarget } from '../a-pool.ts';

type Applying = 'applies' | 'fails' | 'rejects' | 'never';

/** How an agent reacts to orders; by default everything succeeds at once. */
export interface Script {
  /**
   * `hangs` never answers; the answer of `unheard` is lost, and the order is carried out; `throws` fails the given number
   * of times, then succeeds.
   */
  readonly taking?: 'accepts' | 'rejects' | 'hangs' | 'unheard' | { readonly throws: number };
  readonly applying?: Applying | { readonly failsAt: number };
  /** The health that it reports after applying; `undefined` for Available, `silent` for no report. */
  readonly health?: Health | 'silent';
  readonly latencyMs?: number;
}

function applyingOf({ applying = 'applies' }: Script, revision: number): Applying {
  if (typeof applying !== 'object') return applying;
  return applying.failsAt === revision ? 'fails' : 'applies';
}

interface HeldDeployment {
  readonly revision: number;
  readonly hash: string;
  health: Health;
}

interface Agent {
  target: PoolTarget;
  script: Script;
  instance: number;
  thrown: number;
  readonly seen: Map<Uuid, number>;
  readonly holdings: Map<Uuid, HeldDeployment>;
}

const AGENT_MS = 30_000;
const NEVER = new AbortController().signal;

/** Targets whose agents follow a script. The fleet outlives the platform: applied content stays applied. */
export class ScriptedFleet implements TargetRouter {
  readonly #agents = new Map<TargetId, Agent>();
  readonly #talking = new Set<Promise<void>>();
  /** All orders to agents, in sequence. */
  readonly dispatched: DeliveryOrder[] = [];
  readonly cancelled: string[] = [];
  /** Called before each dispatch. */
  onDispatch: (order: DeliveryOrder) => void = () => {};
  /** Receives what the agents report. */
  observer: Observer | undefined;
  path = '/root/shop/';
  readonly #sleep: Sleep;
  #hangingUp = new AbortController();

  constructor(sleep: Sleep = realSleep) {
    this.#sleep = sleep;
  }

  add(name: string, its: Partial<PoolTarget> & { readonly script?: Script } = {}): TargetId {
    const { script = {}, ...fields } = its;
    const target = aPoolTarget(name, fields);
    this.#agents.set(target.id, {
      target,
      script,
      instance: 1,
      thrown: 0,
      seen: new Map(),
      holdings: new Map(),
    });
    return target.id;
  }

  addMany(count: number, its: Partial<PoolTarget> & { readonly script?: Script } = {}): TargetId[] {
    return Array.from({ length: count }, (_, index) => this.add(`t${String(index).padStart(5, '0')}`, its));
  }

  script(id: TargetId, script: Script): void {
    const agent = this.#agent(id);
    agent.script = script;
    agent.thrown = 0;
  }

  change(id: TargetId, its: Partial<PoolTarget>): void {
    const agent = this.#agent(id);
    agent.target = { ...agent.target, ...its };
  }

  label(id: TargetId, labels: Readonly<Record<string, string>>): void {
    const { target } = this.#agent(id);
    this.change(id, { labels: { ...target.labels, ...labels } });
  }

  isSelected(id: TargetId, selector: LabelSelector): boolean {
    return matchesSelector(selector, this.#agent(id).target.labels);
  }

  isOnline(id: TargetId): boolean {
    return this.#agent(id).target.isOnline;
  }

  /** The calls to agents that do not answer fail. */
  hangUp(): void {
    this.#hangingUp.abort(new Error('connection reset'));
    this.#hangingUp = new AbortController();
  }

  remove(id: TargetId): void {
    this.#agents.delete(id);
  }

  get pool(): TargetPool {
    return {
      below: async (_path, reach) => this.#targets().filter((target) => isReached(reach, target)),
      find: async (ids) => {
        const wanted = new Set(ids);
        return this.#targets().filter(({ id }) => wanted.has(id));
      },
      local: aPoolTarget('local', { id: LOCAL_TARGET_ID, type: 'local' }),
    };
  }

  /** The current content of the target. */
  has(id: TargetId, deployment: Uuid): { readonly revision: number; readonly hash: string } | undefined {
    const holding = this.#agents.get(id)?.holdings.get(deployment);
    return holding && { revision: holding.revision, hash: holding.hash };
  }

  async setOnline(id: TargetId, isOnline: boolean): Promise<void> {
    this.change(id, { isOnline });
    await this.observer?.observe([{ about: 'connection', target: id, isOnline }], AbortSignal.timeout(AGENT_MS));
    if (isOnline) await this.sendInventory(id);
  }

  /** Another installation behind the same target. */
  async rebuild(id: TargetId): Promise<void> {
    const agent = this.#agent(id);
    agent.instance += 1;
    agent.holdings.clear();
    agent.seen.clear();
    await this.sendInventory(id);
  }

  async sendInventory(id: TargetId): Promise<void> {
    const { holdings, instance } = this.#agent(id);
    const inventory = {
      target: id,
      instance: `i${instance}`,
      holdings: Array.from(holdings, ([deployment, its]) => ({ deployment, ...its, message: '' })),
    };
    await this.observer?.observe([{ about: 'inventory', inventory }], AbortSignal.timeout(AGENT_MS));
  }

  async report(report: DeliveryReport): Promise<void> {
    const holding = this.#agents.get(report.target)?.holdings.get(report.deployment);
    if (report.kind === 'health' && holding !== undefined) holding.health = report.health;
    await this.observer?.observe([{ about: 'report', report }], AbortSignal.timeout(AGENT_MS));
  }

  async dispatch(order: DeliveryOrder, signal: AbortSignal): Promise<Acknowledgement> {
    const agent = this.#agents.get(order.target.id);
    if (agent === undefined || !agent.target.isOnline) return { kind: 'offline' };
    this.onDispatch(order);
    this.dispatched.push(order);
    const { taking = 'accepts', latencyMs = 0 } = agent.script;
    if (latencyMs > 0) await this.#sleep(latencyMs, signal);
    if (taking === 'hangs') {
      await this.#sleep(AGENT_MS, AbortSignal.any([signal, this.#hangingUp.signal]));
      throw new Error('no answer in time');
    }
    if (taking === 'rejects') return { kind: 'rejected', message: 'not that' };
    if (typeof taking === 'object' && agent.thrown++ < taking.throws) throw new Error('connection reset');
    const seen = agent.seen.get(order.deployment) ?? 0;
    if (seen > order.revision) return { kind: 'fenced', seen };
    agent.seen.set(order.deployment, order.revision);
    this.#talk(this.#carryOut(agent, order));
    if (taking === 'unheard') throw new Error('connection reset');
    return { kind: 'accepted' };
  }

  async cancel(order: Pick<DeliveryOrder, 'target' | 'deployment' | 'revision'>): Promise<void> {
    this.cancelled.push(order.target.name);
  }

  async preview(): Promise<undefined> {
    return undefined;
  }

  /** Waits until agents have sent all their reports. */
  async settled(): Promise<void> {
    while (this.#talking.size > 0) await Promise.all(this.#talking);
  }

  async #carryOut(agent: Agent, order: DeliveryOrder): Promise<void> {
    const { health = 'Available' } = agent.script;
    const { deployment, revision } = order;
    const applying = applyingOf(agent.script, revision);
    const said = { target: order.target.id, deployment, revision };
    const message = 'as the script says';
    const reports: DeliveryReport[] = [];
    if (applying === 'never') return;
    if (applying !== 'applies') reports.push({ ...said, kind: applying === 'fails' ? 'failed' : 'rejected', message });
    else if (order.kind === 'remove') {
      agent.holdings.delete(deployment);
      reports.push({ ...said, kind: 'removed' });
    } else {
      agent.holdings.set(deployment, { revision, hash: order.hash, health: health === 'silent' ? 'Unknown' : health });
      reports.push({ ...said, kind: 'applied', hash: order.hash });
      if (health !== 'silent') reports.push({ ...said, kind: 'health', health, message: '' });
    }
    // An agent repeats a report until it is taken.
    for (let tries = 0; tries < 200; tries += 1) {
      try {
        if (this.observer === undefined || !agent.target.isOnline) throw new Error('nobody listens');
        const observations = reports.map((report) => ({ about: 'report', report }) as const);
        await this.observer.observe(observations, AbortSignal.timeout(AGENT_MS));
        return;
      } catch {
        await this.#sleep(10, NEVER);
      }
    }
  }

  #talk(work: Promise<void>): void {
    const ended = work.then(() => void this.#talking.delete(ended));
    this.#talking.add(ended);
  }

  #targets(): PoolTarget[] {
    return [...this.#agents.values()].map(({ target }) => target).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #agent(id: TargetId): Agent {
    const agent = this.#agents.get(id);
    if (agent === undefined) throw new RangeError(`the target ${id}`);
    return agent;
  }
}
