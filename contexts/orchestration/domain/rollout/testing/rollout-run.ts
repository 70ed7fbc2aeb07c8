import type { Health } from '#protocol/delivery';
import { BUILT_IN_GATES } from '../gates/built-in-gates.ts';
import type { GateAnswer } from '../gates/gate.ts';
import type { Action } from '../machine/action.ts';
import { createDecide } from '../machine/decide.ts';
import { createExplainWait, type Wait } from '../machine/explain-wait.ts';
import type { Phase } from '../machine/phase.ts';
import type { RolloutEvent } from '../machine/rollout-event.ts';
import type { RolloutState } from '../machine/rollout-state.ts';
import type { RolloutSpec } from '../rollout-strategy.ts';
import { type FleetTarget, idOf, REVISION, rolloutOf } from './a-rollout.ts';

export const MINUTE = 60_000;

const decide = createDecide(BUILT_IN_GATES);
const explainWait = createExplainWait(BUILT_IN_GATES);

/** A rollout to which a test feeds events by hand. It is started by default. */
export class RolloutRun {
  state: RolloutState;
  now = 0;
  /** Actions of the last event. */
  actions: readonly Action[] = [];

  constructor(spec: RolloutSpec, fleet: readonly FleetTarget[], { isStarted = true } = {}) {
    this.state = rolloutOf(spec, fleet);
    if (isStarted) this.tell({ kind: 'started' });
  }

  get phase(): Phase {
    return this.state.phase;
  }

  get waits(): readonly Wait[] {
    return explainWait(this.state, this.now);
  }

  /** The targets that the last event sent content to; `removed` are those it removed content from. */
  get sent(): string[] {
    return this.actions.flatMap((action) => (action.kind === 'generateAndDeliver' ? action.target : []));
  }

  get removed(): string[] {
    return this.actions.flatMap((action) => (action.kind === 'remove' ? action.target : []));
  }

  kinds(): string[] {
    return this.actions.map(({ kind }) => kind);
  }

  tell(event: RolloutEvent): this {
    const decision = decide(this.state, event, this.now);
    this.state = decision.state;
    this.actions = decision.actions;
    return this;
  }

  /** Advances the time; a due timer fires. */
  pass(ms: number): this {
    this.now += ms;
    return this.tell({ kind: 'clock' });
  }

  /** These have the content and are available. `sent` and `removed` cover all of these events together. */
  settle(...names: readonly string[]): this {
    const told = names.flatMap((name): Action[] => {
      const first = this.tell({ kind: 'delivered', target: idOf(name), changed: true }).actions;
      return [...first, ...this.health(name, 'Available').actions];
    });
    this.actions = told;
    return this;
  }

  health(name: string, health: Health, revision = REVISION): this {
    return this.tell({ kind: 'healthChanged', target: idOf(name), health, revision });
  }

  connection(name: string, isOnline: boolean): this {
    return this.tell({ kind: 'connectionChanged', target: idOf(name), isOnline });
  }

  fail(name: string, kind: 'deliveryFailed' | 'rejected' | 'generateFailed' = 'deliveryFailed'): this {
    return this.tell({ kind, target: idOf(name), message: 'out of disk' });
  }

  /** Answers the open gate. */
  answer(answer: GateAnswer, gate = this.state.gate?.id ?? 'none'): this {
    return this.tell({ kind: 'gateAnswered', gate, revision: REVISION, answer });
  }
}

export function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `t${String(index).padStart(5, '0')}`);
}
