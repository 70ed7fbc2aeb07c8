import { canonicalJson } from '#kit/std';
import type { GateSpec } from './gates/gate.ts';
import type { Plan } from './plan.ts';

/** The plan with the gates that workspaces demand, before anything is delivered or removed. Which the plan has there stay one. */
export function withRequiredGates(plan: Plan, required: readonly GateSpec[]): Plan {
  const [first, ...rest] = plan.steps;
  if (first === undefined || required.length === 0) return plan;
  const gates = new Map([...required, ...first.before].map((gate) => [canonicalJson(gate), gate]));
  return { ...plan, steps: [{ ...first, before: [...gates.values()] }, ...rest] };
}
