import { parseDuration } from '#kit/std';
import { durationFaults } from '../../budget/budget.ts';
import { isDistinctApprover } from './distinct-approver.ts';
import type { Gate } from './gate.ts';

export type ApprovalGate = {
  readonly type: 'approval';
  /** The approver must be a person who neither wrote nor asked for anything that the rollout brings. */
  readonly requireDistinctApprover?: boolean;
  /** How long the request stays open; it does not expire by default. */
  readonly expiry?: string;
};

type ApprovalMemory = {
  readonly decision?:
    | { readonly kind: 'approved'; readonly by: string; readonly override?: true }
    | { readonly kind: 'rejected'; readonly by: string; readonly message: string }
    | { readonly kind: 'expired' };
};

/**
 * Waits for an approval. The request is bound to this opening of the gate and to the revision; the first answer counts.
 */
export const approvalGate: Gate<ApprovalGate, ApprovalMemory> = {
  type: 'approval',
  faults: ({ expiry }, at) => durationFaults(expiry, `${at}/expiry`),
  open({ requireDistinctApprover = false, expiry }, { gate, revision, openedAt }) {
    const expires = expiry === undefined ? {} : { expiresAt: openedAt + parseDuration(expiry) };
    return { memory: {}, asks: [{ kind: 'requestApproval', gate, revision, requireDistinctApprover, ...expires }] };
  },
  hear(memory, answer, { spec, requesters }) {
    if (memory.decision !== undefined || answer.kind === 'deploymentHealth') return memory;
    const isBound = answer.kind === 'approved' && spec.requireDistinctApprover === true && answer.override !== true;
    return isBound && !isDistinctApprover(answer.by, requesters) ? memory : { decision: answer };
  },
  judge({ expiry }, { decision }, { openedAt, now }) {
    if (decision?.kind === 'approved') return { kind: 'go' };
    if (decision?.kind === 'rejected') {
      const message = `${decision.by} rejected it: ${decision.message}`;
      return { kind: 'no', reason: 'GateRejected', message, isFailure: false };
    }
    const until = expiry === undefined ? {} : { until: openedAt + parseDuration(expiry) };
    if (decision?.kind === 'expired' || (until.until !== undefined && now >= until.until)) {
      return { kind: 'no', reason: 'GateExpired', message: 'approval timed out', isFailure: false };
    }
    return { kind: 'wait', ...until, message: 'waits for an approval', unblock: 'approve or reject it' };
  },
};
