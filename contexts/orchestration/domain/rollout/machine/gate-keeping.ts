import { canonicalJson } from '#kit/std';
import type { Gate, GateAnswer, GateRegistry, GateScene, GateSpec, Verdict } from '../gates/gate.ts';
import type { Cursor, OpenGate, RolloutState, StepState } from './rollout-state.ts';
import { openGate, stepAt, type Turn } from './turn.ts';

/** Runs the tasks before or after the step, in order, until one says no or wait. */
export function passGates(turn: Turn, step: StepState): Verdict {
  const { state } = turn;
  for (let spec = specAt(step, state.cursor); spec !== undefined; spec = specAt(step, state.cursor)) {
    const place = placeOf(step, state.cursor);
    const text = canonicalJson(spec);
    if (state.cleared[place] !== text) {
      const verdict = judgeOpen(turn, step, spec);
      if (verdict.kind !== 'go') return verdict;
      state.cleared = { ...state.cleared, [place]: text };
      dropGate(turn);
    }
    state.cursor = { ...state.cursor, gate: state.cursor.gate + 1 };
  }
  return { kind: 'go' };
}

export interface AddressedAnswer {
  readonly gate: string;
  readonly revision: number;
  readonly answer: GateAnswer;
}

/** Ignores answers for a gate that is no longer open, or for another revision. */
export function hearAnswer(turn: Turn, { gate, revision, answer }: AddressedAnswer): void {
  const { state, now } = turn;
  const spec = openSpecOf(state, stepAt(turn, state.cursor.step));
  if (state.gate?.id !== gate || state.revision !== revision || spec === undefined) return;
  const hearing = { spec, now, requesters: state.requesters };
  const memory = gateOf(turn.gates, spec).hear?.(state.gate.memory, answer, hearing);
  if (memory !== undefined) openGate(turn, { ...state.gate, memory });
}

/** Closes the gate, so that its requests need no answer any more. */
export function dropGate(turn: Turn): void {
  const { gate } = turn.state;
  if (gate?.hasAsked === true) turn.actions.push({ kind: 'closeGate', gate: gate.id });
  openGate(turn, undefined);
}

/** The current verdict of the open gate. */
export function verdictOf(state: RolloutState, step: StepState | undefined, gates: GateRegistry): Verdict | undefined {
  const spec = openSpecOf(state, step);
  if (step === undefined || spec === undefined || state.gate === undefined) return undefined;
  return gateOf(gates, spec).judge(spec, state.gate.memory, sceneOf(state, step, state.gate));
}

export function openSpecOf(state: RolloutState, step: StepState | undefined): GateSpec | undefined {
  return state.gate === undefined || step === undefined ? undefined : specAt(step, state.cursor);
}

function judgeOpen(turn: Turn, step: StepState, spec: GateSpec): Verdict {
  const { until: _, ...open } = turn.state.gate ?? begin(turn, step, spec);
  const verdict = gateOf(turn.gates, spec).judge(spec, open.memory, sceneOf(turn.state, step, open));
  const until = verdict.kind === 'wait' && verdict.until !== undefined ? { until: verdict.until } : {};
  openGate(turn, { ...open, ...until });
  return verdict;
}

function begin(turn: Turn, step: StepState, spec: GateSpec): OpenGate {
  const { state, now } = turn;
  state.gatesOpened += 1;
  const id = `${placeOf(step, state.cursor)}/${state.gatesOpened}`;
  const opened: OpenGate = { id, openedAt: now, memory: {}, hasAsked: false };
  const { memory, asks } = gateOf(turn.gates, spec).open(spec, sceneOf(state, step, opened));
  turn.actions.push(...asks);
  return { ...opened, memory, hasAsked: asks.length > 0 };
}

function specAt({ plan }: StepState, { at, gate }: Cursor): GateSpec | undefined {
  return at === 'work' ? undefined : plan[at][gate];
}

function placeOf({ plan }: StepState, { at, gate }: Cursor): string {
  return `${plan.name}/${at}/${gate}`;
}

function sceneOf(state: RolloutState, step: StepState, { id, openedAt }: OpenGate): GateScene {
  return {
    gate: id,
    revision: state.revision,
    now: state.now,
    openedAt,
    health: state.cursor.at === 'before' ? state.health : step.health,
    progressDeadlineMs: state.budget.progressDeadlineMs,
  };
}

/** Specs were checked against the registry when they were written. A gate type removed since then stops the rollout. */
function gateOf(gates: GateRegistry, { type }: GateSpec): Gate {
  const gate = gates.get(type);
  if (gate === undefined) throw new RangeError(`no gate of type ${type} is registered`);
  return gate;
}
