import type { TargetId } from '#protocol/targets';
import type { GateAnswer } from '../gates/gate.ts';
import type { Action } from '../machine/action.ts';
import type { Decide } from '../machine/decide.ts';
import { entriesOf } from '../machine/number-map.ts';
import type { RolloutEvent } from '../machine/rollout-event.ts';
import type { RolloutState } from '../machine/rollout-state.ts';

/** How a target reacts to an order. */
export interface TargetScript {
  readonly answer: 'delivered' | 'unchanged' | 'deliveryFailed' | 'rejected' | 'generateFailed' | 'silent';
  readonly answerMs: number;
  /** How long after the answer it becomes available; without it, never. */
  readonly wellMs?: number;
}

export interface Simulation {
  readonly state: RolloutState;
  readonly decide: Decide;
  readonly scripts: ReadonlyMap<TargetId, TargetScript>;
  /** The answers of approvers and other deployments, in the order of the requests; then none. */
  readonly answers: readonly { readonly afterMs: number; readonly answer: GateAnswer }[];
  /** Events from outside at given times; some depend on the progress of the rollout. */
  readonly disturbances: readonly { readonly at: number; readonly event: Disturbance }[];
  /** When a paused rollout is resumed; never by default. */
  readonly resumeAfterMs?: number;
  readonly look: (step: SimulatedStep) => void;
}

export type Disturbance = RolloutEvent | ((state: RolloutState) => RolloutEvent);

export interface SimulatedStep {
  readonly before: RolloutState;
  readonly event: RolloutEvent;
  readonly now: number;
  readonly after: RolloutState;
  readonly actions: readonly Action[];
}

export interface SimulatedEnd {
  readonly state: RolloutState;
  readonly steps: readonly SimulatedStep[];
}

const MAX_STEPS = 3_000;
const MAX_RESUMES = 20;
const WELL: TargetScript = { answer: 'delivered', answerMs: 1, wellMs: 1 };

/**
 * A fleet with simulated time: answers, timers and disturbances happen in the order of their times, until none is left.
 * Reports of an offline target arrive when it is back.
 */
export function simulate(simulation: Simulation): SimulatedEnd {
  const fleet = new Fleet(simulation);
  fleet.tell(0, { kind: 'started' });
  for (const { at, event } of simulation.disturbances) fleet.tell(at, event);
  return fleet.run();
}

interface Told {
  readonly at: number;
  readonly order: number;
  readonly event: Disturbance;
}

class Fleet {
  readonly #simulation: Simulation;
  readonly #steps: SimulatedStep[] = [];
  readonly #offline = new Map<TargetId, RolloutEvent[]>();
  #queue: Told[] = [];
  #state: RolloutState;
  #order = 0;
  #asked = 0;
  #resumes = 0;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#state = simulation.state;
    for (const [, { id, isOnline }] of entriesOf(simulation.state.members)) {
      if (!isOnline) this.#offline.set(id, []);
    }
  }

  tell(at: number, event: Disturbance): void {
    const told = { at, order: this.#order++, event };
    const place = this.#queue.findLastIndex((other) => other.at <= at);
    this.#queue.splice(place + 1, 0, told);
  }

  run(): SimulatedEnd {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (this.#steps.length >= MAX_STEPS) throw new RangeError('a simulation without an end');
      this.#happen(next);
    }
    return { state: this.#state, steps: this.#steps };
  }

  #happen({ at: now, event: told }: Told): void {
    const event = typeof told === 'function' ? told(this.#state) : told;
    if (this.#isHeldBack(now, event)) return;
    const before = this.#state;
    const { state: after, actions } = this.#simulation.decide(before, event, now);
    this.#state = after;
    const step = { before, event, now, after, actions };
    this.#steps.push(step);
    this.#simulation.look(step);
    for (const action of actions) this.#act(action, now);
    this.#resumeLater(before, now);
  }

  #isHeldBack(now: number, event: RolloutEvent): boolean {
    if (event.kind === 'connectionChanged') {
      const { target, isOnline } = event;
      const held = this.#offline.get(target) ?? [];
      if (!isOnline) this.#offline.set(target, held);
      else if (this.#offline.delete(target)) for (const news of held) this.tell(now, news);
      return false;
    }
    const held = 'target' in event ? this.#offline.get(event.target) : undefined;
    held?.push(event);
    return held !== undefined;
  }

  #act(action: Action, now: number): void {
    if (action.kind === 'generateAndDeliver') this.#deliver(action.target, now);
    if (action.kind === 'remove') this.#remove(action.target, now);
    if (action.kind === 'setTimer') this.tell(action.at, { kind: 'clock' });
    if (action.kind === 'requestApproval' || action.kind === 'watchDeployment') this.#answer(action.gate, now);
  }

  #deliver(target: TargetId, now: number): void {
    const { answer, answerMs, wellMs } = this.#simulation.scripts.get(target) ?? WELL;
    const at = now + answerMs;
    if (answer === 'silent') return;
    if (answer === 'delivered' || answer === 'unchanged') {
      this.tell(at, { kind: 'delivered', target, changed: answer === 'delivered' });
      const { revision } = this.#state;
      if (wellMs !== undefined)
        this.tell(at + wellMs, { kind: 'healthChanged', target, health: 'Available', revision });
    } else this.tell(at, { kind: answer, target, message: 'as the script says' });
  }

  #remove(target: TargetId, now: number): void {
    const { answer, answerMs } = this.#simulation.scripts.get(target) ?? WELL;
    const isGone = answer === 'delivered' || answer === 'unchanged';
    if (isGone) this.tell(now + answerMs, { kind: 'removed', target });
    else if (answer !== 'silent')
      this.tell(now + answerMs, { kind: 'removeFailed', target, message: 'as the script says' });
  }

  #answer(gate: string, now: number): void {
    const next = this.#simulation.answers[this.#asked++];
    if (next === undefined) return;
    const { revision } = this.#state;
    this.tell(now + next.afterMs, { kind: 'gateAnswered', gate, revision, answer: next.answer });
  }

  #resumeLater(before: RolloutState, now: number): void {
    const { resumeAfterMs } = this.#simulation;
    if (resumeAfterMs === undefined || before.phase.kind === 'Paused' || this.#state.phase.kind !== 'Paused') return;
    if (this.#resumes++ < MAX_RESUMES) this.tell(now + resumeAfterMs, { kind: 'resume' });
  }
}
