import { canonicalJson } from '#kit/std';
import type { GateSpec } from './gates/gate.ts';
import type { Plan } from './plan.ts';

/**
 * Adds the gates that workspace policies require before anything is delivered or removed. A gate that the plan already
 * has there is not duplicated.
 */
export function withRequiredGates(plan: Plan, required: readonly GateSpec[]): Plan {
  const [first, ...rest] = plan.steps;
  if (first === undefined || required.length === 0) return plan;
  const gates = new Map([...required, ...first.before].map((gate) => [canonicalJson(gate), gate]));
  return { ...plan, steps: [{ ...first, before: [...gates.values()] }, ...rest] };
}
