import { canonicalJson, parseDuration } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import { isDistinctApprover } from '../gates/distinct-approver.ts';
import type { GateSpec } from '../gates/gate.ts';
import { marksOf } from '../machine/member.ts';
import { entriesOf, valueAt } from '../machine/number-map.ts';
import { LATE_STEP, type RolloutState, type StepState } from '../machine/rollout-state.ts';
import { memberOf, membersOf } from './a-rollout.ts';
import type { SimulatedStep } from './fleet-simulator.ts';

/** What was heard of a gate since it was opened. */
interface Heard {
  readonly id: string;
  readonly text: string;
  readonly openedAt: number;
  isApproved: boolean;
  healthySince: number | undefined;
}

/**
 * Follows the gates of one rollout by its events, without the gates' own code: no gate is passed before its condition holds,
 * and nothing is delivered or removed behind a gate that was not passed.
 */
export class GateWatch {
  /** The last opening, by the gate's place in the plan. */
  readonly #heard = new Map<string, Heard>();
  readonly #unhealthyAt = new Map<TargetId, number>();

  look(step: SimulatedStep): string[] {
    this.#hear(step);
    this.#noteHealth(step);
    const faults = [...this.#passedTooEarly(step), ...beyondClosedGates(step)];
    this.#noteOpening(step.after);
    return faults;
  }

  #hear({ before, event, after }: SimulatedStep): void {
    if (event.kind !== 'gateAnswered' || event.revision !== before.revision) return;
    const heard = [...this.#heard.values()].find(({ id }) => id === event.gate);
    if (heard === undefined) return;
    const { answer } = event;
    const spec = specOf(heard.text);
    if (answer.kind === 'approved') {
      const isFree = spec['requireDistinctApprover'] !== true || answer.override === true;
      heard.isApproved ||= isFree || isDistinctApprover(answer.by, before.requesters);
    }
    if (answer.kind === 'deploymentHealth')
      heard.healthySince = answer.isHealthy ? (heard.healthySince ?? after.now) : undefined;
  }

  /** A target counts until the event that made it well. What this event sends comes after the gates that it passes. */
  #noteHealth({ before, after, actions }: SimulatedStep): void {
    const sent = new Set(actions.flatMap((action) => ('target' in action ? [action.target] : [])));
    const now = membersOf(after).filter((member) => !sent.has(member.id));
    for (const member of [...membersOf(before), ...now])
      if (marksOf(member).isUnhealthy) this.#unhealthyAt.set(member.id, after.now);
    this.#unhealthy = new Set(now.filter((member) => marksOf(member).isUnhealthy).map(({ id }) => id));
  }

  #unhealthy: ReadonlySet<TargetId> = new Set();

  #passedTooEarly({ before, after }: SimulatedStep): string[] {
    return Object.entries(after.cleared).flatMap(([place, text]) => {
      const isNew = before.cleared[place] !== text;
      return !isNew || this.#holds(after, place, text) ? [] : [`passed the gate ${place} before it was open: ${text}`];
    });
  }

  #holds(state: RolloutState, place: string, text: string): boolean {
    const spec = specOf(text);
    const last = this.#heard.get(place);
    const heard = last?.text === text ? last : undefined;
    const isSince = (since: number | undefined, duration: unknown): boolean =>
      since !== undefined && state.now - since >= msOf(duration);
    switch (spec.type) {
      case 'wait':
        return isSince(heard?.openedAt ?? state.now, spec['duration']);
      case 'approval':
        return heard?.isApproved === true;
      case 'deploymentHealth':
        return isSince(heard?.healthySince, spec['stableDuration']);
      case 'health':
        return this.#isWell(state, place, msOf(spec['stableDuration']));
      default:
        return false;
    }
  }

  /** Before a step all targets count, after it its own. */
  #isWell(state: RolloutState, place: string, stableMs: number): boolean {
    const [name, at] = splitPlace(place);
    const watched = membersOf(state).filter((member) => {
      if (at === 'before') return true;
      return member.step !== undefined && valueAt(state.steps, member.step)?.plan.name === name;
    });
    return watched.every(({ id }) => {
      const since = this.#unhealthyAt.get(id) ?? Number.NEGATIVE_INFINITY;
      return !this.#unhealthy.has(id) && state.now - since >= stableMs;
    });
  }

  #noteOpening({ gate, cursor, steps, now }: RolloutState): void {
    if (gate === undefined || cursor.at === 'work') return;
    const place = gate.id.split('/').slice(0, -1).join('/');
    if (this.#heard.get(place)?.id === gate.id) return;
    const spec = valueAt(steps, cursor.step)?.plan[cursor.at][cursor.gate];
    if (spec === undefined) return;
    const opened = { id: gate.id, text: canonicalJson(spec), openedAt: now };
    this.#heard.set(place, { ...opened, isApproved: false, healthySince: undefined });
  }
}

/** No target gets or loses content before all gates up to its step were passed. */
function beyondClosedGates({ after, actions }: SimulatedStep): string[] {
  return actions.flatMap((action) => {
    if (action.kind !== 'generateAndDeliver' && action.kind !== 'remove') return [];
    const index = memberOf(after, action.target).step ?? LATE_STEP;
    const closed = [...entriesOf(after.steps)].flatMap(([number, step]) => {
      if (number === LATE_STEP || number > index || step.fate === 'passed') return [];
      const before = closedIn(after, step, 'before');
      return number === index ? before : [...before, ...closedIn(after, step, 'after')];
    });
    return closed.map((place) => `${action.kind} ${action.target} beyond the gate ${place}`);
  });
}

function closedIn({ cleared }: RolloutState, { plan }: StepState, at: 'before' | 'after'): string[] {
  return plan[at].flatMap((spec, index) => {
    const place = `${plan.name}/${at}/${index}`;
    return cleared[place] === canonicalJson(spec) ? [] : [place];
  });
}

function specOf(text: string): GateSpec {
  return JSON.parse(text) as GateSpec;
}

function splitPlace(place: string): [name: string, at: string | undefined] {
  const parts = place.split('/');
  return [parts.slice(0, -2).join('/'), parts.at(-2)];
}

function msOf(duration: unknown): number {
  return typeof duration === 'string' ? parseDuration(duration) : 0;
}
