import { runAll } from '#kit/reconcile';
import { assertNever, BoundedQueue, type Clock, type Uuid } from '#kit/std';
import type { Acknowledgement, DeliveryOrder, DeliveryReport, OrderKey, PreviewAnswer } from '#protocol/delivery';
import type { TargetId, TargetRef } from '#protocol/targets';
import type { DeliveryAgent } from '../../application/ports.ts';
import { DeliveryError } from '../../domain/delivery-error.ts';
import { Agenda } from './agenda.ts';
import { type Behaviour, WELL_BEHAVED } from './behaviour.ts';
import { chance } from './chance.ts';
import { type FleetMemory, NO_MEMORY, type Remembered } from './fleet-memory.ts';
import type { FleetEvent, FleetScript, ScriptStep } from './fleet-script.ts';
import { ReportLine, type ReportLineDeps } from './report-line.ts';
import { REFUSAL, SimulatedTarget } from './simulated-target.ts';

export interface SimulatedFleetDeps extends ReportLineDeps {
  readonly clock: Clock;
  /** The same seed gives the same random outcomes. */
  readonly seed: number;
  /** The default behaviour of its targets. */
  readonly behaviour?: Partial<Behaviour>;
  /** Limit of concurrent orders; unlimited by default. */
  readonly width?: number;
  readonly memory?: FleetMemory;
}

/**
 * Any number of simulated targets that fulfil the delivery contract: for the demo, for tests and for benchmarks.
 * Failures come from the script or the seed. Nothing happens until it is run.
 */
export class SimulatedFleet implements DeliveryAgent {
  readonly #agenda: Agenda;
  readonly #line: ReportLine;
  readonly #seed: number;
  readonly #memory: FleetMemory;
  readonly #behaviour: Behaviour;
  readonly #wire: BoundedQueue<true> | undefined;
  readonly #targets = new Map<TargetId, SimulatedTarget>();
  readonly #recalled: ReadonlyMap<TargetId, readonly Remembered[]>;

  private constructor(deps: SimulatedFleetDeps, recalled: ReadonlyMap<TargetId, readonly Remembered[]>) {
    const { seed, behaviour, width, memory = NO_MEMORY } = deps;
    this.#agenda = new Agenda(deps);
    this.#line = new ReportLine(deps);
    this.#seed = seed;
    this.#memory = memory;
    this.#behaviour = { ...WELL_BEHAVED, ...behaviour };
    this.#wire = width === undefined ? undefined : new BoundedQueue<true>({ capacity: width, whenFull: 'block' });
    this.#recalled = recalled;
  }

  static async open(deps: SimulatedFleetDeps, signal: AbortSignal): Promise<SimulatedFleet> {
    const recalled = Map.groupBy((await deps.memory?.recall(signal)) ?? [], ({ target }) => target);
    return new SimulatedFleet(deps, recalled);
  }

  async run(signal: AbortSignal): Promise<void> {
    const runnables = [
      { name: 'simulated fleet', run: (stop: AbortSignal) => this.#agenda.run(stop) },
      { name: 'reports of the simulated fleet', run: (stop: AbortSignal) => this.#line.run(stop) },
    ];
    await runAll(runnables, signal);
  }

  /** They connect as soon as the fleet runs. An existing target stays unchanged. */
  add(targets: readonly TargetRef[], behaviour: Partial<Behaviour> = {}): void {
    for (const ref of targets) {
      if (this.#targets.has(ref.id)) continue;
      const target = new SimulatedTarget(ref, { ...this.#behaviour, ...behaviour });
      for (const remembered of this.#recalled.get(ref.id) ?? []) target.recall(remembered);
      this.#targets.set(ref.id, target);
      this.#agenda.after(0, (signal) => this.#connect(target, signal));
    }
  }

  /** They stop reporting for good. */
  remove(targets: readonly TargetId[]): void {
    for (const id of targets) {
      const target = this.#targets.get(id);
      this.#targets.delete(id);
      if (target === undefined) continue;
      target.isOnline = false;
      target.rebuild();
    }
  }

  play(script: FleetScript): void {
    for (const step of script) this.#agenda.after(step.atMs, (signal) => this.#playStep(step, signal));
  }

  async dispatch(order: DeliveryOrder, signal: AbortSignal): Promise<Acknowledgement> {
    const target = this.#targets.get(order.target.id);
    signal.throwIfAborted();
    if (target?.isOnline !== true) return { kind: 'offline' };
    await this.#travel(target, signal);
    // The connection was cut meanwhile. A target removed meanwhile is offline, too.
    if (!target.isOnline) return { kind: 'offline' };
    return await this.#accept(target, order, signal);
  }

  async cancel(order: OrderKey, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#targets.get(order.target.id)?.cancel(order);
  }

  async preview(order: DeliveryOrder, signal: AbortSignal): Promise<PreviewAnswer | undefined> {
    const target = this.#targets.get(order.target.id);
    signal.throwIfAborted();
    if (target?.isOnline !== true) return undefined;
    await this.#travel(target, signal);
    return target.isOnline ? target.preview(order) : undefined;
  }

  async #travel({ behaviour, ref }: SimulatedTarget, signal: AbortSignal): Promise<void> {
    const { outcome, latencyMs } = behaviour;
    if (outcome === 'hang') await untilAborted(signal);
    if (this.#wire === undefined) await this.#agenda.pause(latencyMs, signal);
    else await this.#queueAndPause(this.#wire, latencyMs, signal);
    if (outcome === 'break')
      throw new DeliveryError('CONNECTION_LOST', `order to ${ref.name}: connection cut, as configured`);
  }

  async #queueAndPause(wire: BoundedQueue<true>, ms: number, signal: AbortSignal): Promise<void> {
    await wire.push(true, signal);
    try {
      await this.#agenda.pause(ms, signal);
    } finally {
      // Each slot that was taken is returned, so this resolves at once.
      await wire.take(new AbortController().signal);
    }
  }

  async #accept(target: SimulatedTarget, order: DeliveryOrder, signal: AbortSignal): Promise<Acknowledgement> {
    const message = target.whyRejected(order);
    if (message !== undefined) return { kind: 'rejected', message };
    const fenced = target.verdict(order);
    if (fenced.kind === 'fenced') return { kind: 'fenced', seen: fenced.seen.revision };
    if (target.behaviour.outcome === 'refuse') {
      target.take(order);
      target.cancel(order);
      return { kind: 'rejected', message: REFUSAL };
    }
    await this.#memory.keep(rememberedOf(order), signal);
    const verdict = target.take(order);
    // A newer order overtook it while it was being saved.
    if (verdict.kind === 'fenced') return { kind: 'fenced', seen: verdict.seen.revision };
    if (target.isUnderWay(order)) {
      const workMs = target.behaviour.applyMs + this.#jitter(target, order, 'apply');
      this.#agenda.after(workMs, (stop) => this.#finish(target, order, stop));
    } else if (target.isDone(order)) {
      this.#agenda.after(0, (stop) => this.#report(target, target.repeat(order), stop));
    }
    return { kind: 'accepted' };
  }

  async #finish(target: SimulatedTarget, order: DeliveryOrder, signal: AbortSignal): Promise<void> {
    if (!target.isUnderWay(order)) return;
    const { outcome, failures } = target.behaviour;
    const isUnlucky = chance(this.#seed, 'fail', order.target.id, order.deployment, order.revision) < failures;
    if (outcome === 'silence') return;
    if (outcome === 'reject') return await this.#report(target, target.giveUp(order, 'rejected', REFUSAL), signal);
    if (outcome === 'fail' || isUnlucky) {
      return await this.#report(target, target.giveUp(order, 'failed', 'failed, as configured'), signal);
    }
    await this.#report(target, target.succeed(order), signal);
    if (order.kind === 'remove') return;
    const lookMs = target.behaviour.healthMs + this.#jitter(target, order, 'health');
    this.#lookLater(target, order.deployment, lookMs);
  }

  /** Applies to the current behaviour and revision only: a change schedules its own check. */
  #lookLater(target: SimulatedTarget, deployment: Uuid, ms: number): void {
    const { behaviour } = target;
    const revision = target.revisionOf(deployment);
    this.#agenda.after(ms, async (signal) => {
      if (target.behaviour !== behaviour || target.revisionOf(deployment) !== revision) return;
      const { flapMs, health } = behaviour;
      const flipped = target.healthOf(deployment) === 'Available' ? 'Degraded' : 'Available';
      await this.#report(target, target.turn(deployment, flapMs === undefined ? health : flipped), signal);
      if (flapMs !== undefined) this.#lookLater(target, deployment, flapMs);
    });
  }

  async #playStep(step: ScriptStep, signal: AbortSignal): Promise<void> {
    const targets = step.targets === 'all' ? [...this.#targets.keys()] : step.targets;
    for (const id of targets) {
      const target = this.#targets.get(id);
      if (target !== undefined) await this.#happen(target, step, signal);
    }
    if (step.everyMs !== undefined) this.#agenda.after(step.everyMs, (stop) => this.#playStep(step, stop));
  }

  async #happen(target: SimulatedTarget, event: FleetEvent, signal: AbortSignal): Promise<void> {
    switch (event.kind) {
      case 'offline':
        return await this.#disconnect(target, signal);
      case 'online':
        return await this.#connect(target, signal);
      case 'rebuilt':
        await this.#disconnect(target, signal);
        await this.#memory.keep(target.rebuild(), signal);
        return await this.#connect(target, signal);
      case 'drifted':
        return await this.#report(target, target.drift(event.deployment, event.objects), signal);
      case 'behaves':
        target.behaviour = { ...target.behaviour, ...event.behaviour };
        for (const deployment of target.deployments) this.#lookLater(target, deployment, 0);
        return;
      default:
        assertNever(event, 'event of a fleet');
    }
  }

  /** Reports the connection, the inventory, and the reports held back, in this order. */
  async #connect(target: SimulatedTarget, signal: AbortSignal): Promise<void> {
    if (target.isOnline || !this.#targets.has(target.ref.id)) return;
    target.isOnline = true;
    await this.#reportConnection(target, signal);
    await this.#line.push({ kind: 'inventory', inventory: target.inventory() }, signal);
    await this.#report(target, target.takePending(), signal);
  }

  async #disconnect(target: SimulatedTarget, signal: AbortSignal): Promise<void> {
    if (!target.isOnline) return;
    target.isOnline = false;
    await this.#reportConnection(target, signal);
  }

  async #reportConnection({ ref, isOnline }: SimulatedTarget, signal: AbortSignal): Promise<void> {
    await this.#line.push({ kind: 'connection', change: { target: ref, isOnline, time: this.#agenda.now } }, signal);
  }

  async #report(target: SimulatedTarget, reports: readonly DeliveryReport[], signal: AbortSignal): Promise<void> {
    for (const report of reports) {
      if (target.isOnline) await this.#line.push({ kind: 'report', report }, signal);
      else target.holdBack(report);
    }
  }

  #jitter({ behaviour, ref }: SimulatedTarget, { deployment, revision }: OrderKey, what: string): number {
    return Math.floor(chance(this.#seed, what, ref.id, deployment, revision) * behaviour.jitterMs);
  }
}

function rememberedOf(order: DeliveryOrder): Remembered {
  const { target, deployment, revision } = order;
  const hash = order.kind === 'deliver' ? { hash: order.hash } : {};
  return { target: target.id, deployment, revision, ...hash };
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  return await new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
