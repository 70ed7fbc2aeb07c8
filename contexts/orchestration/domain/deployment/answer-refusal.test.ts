import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceName, Uuid } from '#kit/std';
import { BUILT_IN_GATES } from '../rollout/gates/built-in-gates.ts';
import { approvalRefusal } from '../rollout/machine/approval-refusal.ts';
import { createDecide } from '../rollout/machine/decide.ts';
import type { RolloutEvent } from '../rollout/machine/rollout-event.ts';
import { REVISION, rolloutOf } from '../rollout/testing/a-rollout.ts';
import { answerRefusal } from './answer-refusal.ts';
import type { Approval, ApprovalState } from './approval.ts';

const decide = createDecide(BUILT_IN_GATES);
const GATE = 'canary/before/0/1';
const SPEC = {
  type: 'staged',
  stages: [
    {
      name: 'canary',
      selector: {},
      beforeTasks: [{ type: 'approval', requireDistinctApprover: true, expiry: '1h' }],
    },
  ],
};
const approved: RolloutEvent = {
  kind: 'gateAnswered',
  gate: GATE,
  revision: REVISION,
  answer: { kind: 'approved', by: 'user:bob' },
};

/** The approval and the state of the rollout must give the same answer. */
for (const { why, happened, state, by, isApproval, want } of [
  { why: 'somebody else approves', happened: [], state: 'Open', by: 'user:bob', isApproval: true, want: undefined },
  {
    why: 'the one who asked approves',
    happened: [],
    state: 'Open',
    by: 'user:ann',
    isApproval: true,
    want: 'NotDistinct',
  },
  {
    why: 'another author approves',
    happened: [],
    state: 'Open',
    by: 'user:bea',
    isApproval: true,
    want: 'NotDistinct',
  },
  {
    why: 'a robot approves',
    happened: [],
    state: 'Open',
    by: 'serviceAccount:ci/bot',
    isApproval: true,
    want: 'NotDistinct',
  },
  { why: 'the one who asked rejects', happened: [], state: 'Open', by: 'user:ann', isApproval: false, want: undefined },
  { why: 'it was approved', happened: [approved], state: 'Approved', by: 'user:eve', isApproval: true, want: 'Stale' },
  {
    why: 'it is over',
    happened: [{ kind: 'abort' }],
    state: 'Closed',
    by: 'user:bob',
    isApproval: true,
    want: 'Stale',
  },
] as const) {
  test(`an answer when ${why}`, () => {
    const planned = { ...rolloutOf(SPEC, [{ name: 'a' }]), requesters: anApproval(state).requesters };
    const begun = decide(planned, { kind: 'started' }, 0).state;
    const rollout = happened.reduce((at, event) => decide(at, event, 1_000).state, begun);
    const given = { rollout: 'r', gate: GATE, revision: REVISION, by, isApproval };
    assert.equal(approvalRefusal(rollout, given), want);
    const deployment = { rollout: rollout.phase.kind === 'Finished' ? undefined : REVISION };
    assert.equal(answerRefusal(anApproval(state), deployment, { by, isApproval, now: 1_000 }), want);
  });
}

function anApproval(state: ApprovalState): Approval {
  return {
    uid: '00000000-0000-7000-8000-0000000000a1' as Uuid,
    deployment: '00000000-0000-7000-8000-0000000000d1' as Uuid,
    deploymentName: 'web',
    workspace: { name: 'emea' as ResourceName, path: '/root/emea/' },
    revision: REVISION,
    gate: GATE,
    step: 'canary',
    requestedBy: 'user:ann',
    requesters: ['user:ann', 'user:bea'],
    needsDistinctApprover: true,
    createTime: 0,
    expireTime: 3_600_000,
    state,
    answer: undefined,
    version: 1,
  };
}
