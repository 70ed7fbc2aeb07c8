import type { DeliveryOrder } from '#protocol/delivery';
import type { UnitOfWork } from '../../application/ports.ts';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import { BUILT_IN_GATES } from '../../domain/rollout/gates/built-in-gates.ts';
import { createDecide } from '../../domain/rollout/machine/decide.ts';
import { openRollout } from '../../domain/rollout/machine/open-rollout.ts';
import type { RolloutEvent } from '../../domain/rollout/machine/rollout-event.ts';
import { brokenRules } from '../../domain/rollout/testing/broken-rules.ts';
import { GateWatch } from '../../domain/rollout/testing/gate-watch.ts';

export interface Decided {
  readonly deployment: DeploymentId;
  readonly revisions: number;
  /** `revision gate` of all approvals that were given. */
  readonly approved: ReadonlySet<string>;
  readonly dispatched: readonly { readonly order: DeliveryOrder; readonly at: number }[];
  readonly signal: AbortSignal;
}

const decide = createDecide(BUILT_IN_GATES);

/** Replays the turns of all rollouts as they were stored. */
export async function decidedFaults(unit: UnitOfWork, its: Decided): Promise<readonly string[]> {
  const faults: string[] = [];
  const decided = new Map<string, number>();
  for (let revision = 1; revision <= its.revisions; revision += 1) {
    const rollout = { deployment: its.deployment, revision };
    const opening = await unit.rollouts.opening(rollout, its.signal);
    if (opening === undefined) continue;
    const gates = new GateWatch();
    let state = openRollout(opening.start);
    for (const { rolloutEvents, time: now } of await unit.rollouts.turnsAfter(rollout, 0, its.signal)) {
      for (const event of rolloutEvents) {
        const before = state;
        const { state: after, actions } = decide(before, event, now);
        const step = { before, event, now, after, actions };
        faults.push(...brokenRules(step, gates).map((it) => `${it} at ${revision}`));
        if (isApproval(event) && !its.approved.has(`${revision} ${event.gate}`))
          faults.push(`the approval of ${event.gate} at ${revision}, which was not given`);
        for (const action of actions) {
          if (action.kind !== 'generateAndDeliver' && action.kind !== 'remove') continue;
          const kind = action.kind === 'remove' ? 'remove' : 'deliver';
          const key = `${kind} ${action.target} ${revision}`;
          if (!decided.has(key)) decided.set(key, now);
        }
        state = after;
      }
    }
  }
  for (const { order, at } of its.dispatched) {
    const since = decided.get(`${order.kind} ${order.target.id} ${order.revision}`);
    if (since === undefined || since > at)
      faults.push(`${order.kind} ${order.target.name} at ${order.revision}, which no turn decided`);
  }
  return faults;
}

function isApproval(event: RolloutEvent): event is Extract<RolloutEvent, { kind: 'gateAnswered' }> {
  return event.kind === 'gateAnswered' && event.answer.kind === 'approved';
}
