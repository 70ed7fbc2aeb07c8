import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Uuid } from '#kit/std';
import type { Approval } from '../../domain/deployment/approval.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { idOf, REVISION } from '../../domain/rollout/testing/a-rollout.ts';
import { MINUTE, RolloutRun } from '../../domain/rollout/testing/rollout-run.ts';
import { aDeployment } from '../../testing/a-revision.ts';
import { aRow } from '../../testing/a-row.ts';
import type { UnitOfWork } from '../ports.ts';
import { changedRows, keepGates, type TurnOutcome } from './carry-out.ts';

const NOW = 5_000;
const TURN = 3;
const deployment = aDeployment();
const signal = new AbortController().signal;

const rowOf = (name: string, its: Partial<DeploymentTarget> = {}): DeploymentTarget =>
  aRow({ target: idOf(name), name, applied: { revision: REVISION - 1, hash: 'sha256:1' }, ...its });
const order = (its: Partial<NonNullable<DeploymentTarget['order']>> = {}) =>
  ({ kind: 'deliver', revision: REVISION, batch: 1, state: 'sent', hash: 'sha256:2', since: 1_000, ...its }) as const;

/** The rows after a turn with these events and decisions. */
async function after(
  rows: readonly DeploymentTarget[],
  turn: Pick<TurnOutcome, 'before' | 'after'> & Partial<Pick<TurnOutcome, 'rolloutEvents' | 'actions'>>,
) {
  const unit = {
    targets: { some: async (_: unknown, ids: readonly string[]) => rows.filter(({ target }) => ids.includes(target)) },
  } as unknown as UnitOfWork;
  const rollout = { deployment: deployment.uid, revision: REVISION };
  const outcome = { deployment, rollout, turn: TURN, rolloutEvents: [], actions: [], now: NOW, ...turn };
  const changed = await changedRows(unit, outcome, signal);
  return { ...changed, row: (name: string) => changed.after.find(({ target }) => target === idOf(name)) };
}

const FLEET = [{ name: 'a' }, { name: 'b' }];

describe('the rows that a turn changes', () => {
  it('get the orders that it decided, in its batch', async () => {
    const run = new RolloutRun({ type: 'immediate' }, [...FLEET, { name: 'c', isRemoved: true }]);
    const actions = [
      { kind: 'generateAndDeliver', target: idOf('a'), revision: REVISION },
      { kind: 'remove', target: idOf('c'), revision: REVISION },
    ] as const;
    const { row, hasBatch, differing } = await after(
      ['a', 'b', 'c'].map((name) => rowOf(name)),
      {
        before: run.state,
        after: run.state,
        actions,
      },
    );
    assert.deepEqual(
      [row('a')?.order, row('c')?.order].map((its) => [its?.kind, its?.state, its?.batch, its?.revision]),
      [
        ['deliver', 'queued', TURN, REVISION],
        ['remove', 'queued', TURN, REVISION],
      ],
    );
    assert.deepEqual([hasBatch, differing.map(({ name }) => name)], [true, ['a', 'c']]);
  });

  it('get no order of a rollout that ended in the same turn', async () => {
    const run = new RolloutRun({ type: 'immediate' }, FLEET);
    const before = run.state;
    run.tell({ kind: 'abort' });
    const actions = [{ kind: 'generateAndDeliver', target: idOf('a'), revision: REVISION }] as const;
    const { row, hasBatch } = await after([rowOf('a')], { before, after: run.state, actions });
    assert.deepEqual([row('a')?.order, hasBatch], [undefined, false]);
  });

  it('get no order that was cancelled in the same turn, and their agents hear nothing of it', async () => {
    const { state } = new RolloutRun({ type: 'immediate' }, FLEET);
    const actions = [
      { kind: 'generateAndDeliver', target: idOf('a'), revision: REVISION },
      { kind: 'cancelDeliveries', targets: [idOf('a')] },
    ] as const;
    const { row, hasBatch, cancelled } = await after([rowOf('a')], { before: state, after: state, actions });
    assert.deepEqual([row('a')?.order, hasBatch, cancelled], [undefined, false, []]);
  });

  it('keep an order that was decided after the cancellation of the one before', async () => {
    const { state } = new RolloutRun({ type: 'immediate' }, FLEET);
    const actions = [
      { kind: 'cancelDeliveries', targets: [idOf('a')] },
      { kind: 'generateAndDeliver', target: idOf('a'), revision: REVISION },
    ] as const;
    const found = await after([rowOf('a', { order: order() })], { before: state, after: state, actions });
    assert.deepEqual([found.row('a')?.order?.state, found.cancelled], ['queued', []]);
  });

  it('lose a cancelled order: its agent is told if it may have it, and what is there is unsure', async () => {
    const { state } = new RolloutRun({ type: 'immediate' }, FLEET);
    const actions = [{ kind: 'cancelDeliveries', targets: [idOf('a'), idOf('b')] }] as const;
    const rows = [rowOf('a', { order: order() }), rowOf('b', { order: order({ state: 'queued' }) })];
    const { row, cancelled } = await after(rows, { before: state, after: state, actions });
    assert.deepEqual([row('a')?.order, row('b')?.order], [undefined, undefined]);
    assert.deepEqual(
      cancelled.map(({ name }) => name),
      ['a'],
    );
    assert.deepEqual([row('a')?.applied?.hash, row('b')?.applied?.hash], ['', 'sha256:1']);
  });

  it('keep an order of another revision when this one cancels', async () => {
    const { state } = new RolloutRun({ type: 'immediate' }, FLEET);
    const actions = [{ kind: 'cancelDeliveries', targets: [idOf('a')] }] as const;
    const other = rowOf('a', { order: order({ revision: REVISION - 1 }) });
    const { row } = await after([other], { before: state, after: state, actions });
    assert.equal(row('a'), other);
  });

  for (const { why, state, want } of [
    { why: 'sends again what may have been lost with the connection', state: 'sent', want: ['queued', TURN, true] },
    { why: 'leaves to the agent what it had accepted', state: 'accepted', want: ['accepted', 1, false] },
  ] as const) {
    it(`of a target that is back: ${why}`, async () => {
      const run = new RolloutRun({ type: 'immediate' }, FLEET).connection('a', false);
      const before = run.state;
      run.connection('a', true);
      const rolloutEvents = [{ kind: 'connectionChanged', target: idOf('a'), isOnline: true }] as const;
      const found = await after([rowOf('a', { order: order({ state }) })], { before, after: run.state, rolloutEvents });
      const its = found.row('a')?.order;
      assert.deepEqual([its?.state, its?.batch, found.hasBatch], want);
    });
  }

  it('of a target that went away are sent nothing', async () => {
    const run = new RolloutRun({ type: 'immediate' }, FLEET);
    const before = run.state;
    run.connection('a', false);
    const rolloutEvents = [{ kind: 'connectionChanged', target: idOf('a'), isOnline: false }] as const;
    const { after: rows, hasBatch } = await after([rowOf('a', { order: order() })], {
      before,
      after: run.state,
      rolloutEvents,
    });
    assert.deepEqual([rows, hasBatch], [[], false]);
  });

  it('say that a deadline passed, which only the rollout knows', async () => {
    const run = new RolloutRun({ type: 'immediate', progressDeadline: '5m', maxFailures: 2 }, FLEET).settle('b');
    const before = run.state;
    run.pass(6 * MINUTE);
    const { row } = await after([rowOf('a', { order: order({ state: 'accepted' }) }), rowOf('b')], {
      before,
      after: run.state,
    });
    const { reason, revision } = row('a')?.failure ?? {};
    assert.deepEqual([reason, revision, row('b')], ['ProgressDeadline', REVISION, undefined]);
  });

  it('leave failures to the reports that told of them', async () => {
    const run = new RolloutRun({ type: 'immediate', maxFailures: 2 }, FLEET);
    const before = run.state;
    run.fail('a');
    const { after: rows } = await after([rowOf('a')], { before, after: run.state });
    assert.deepEqual(rows, []);
  });

  it('are owed what the rollout ended without', async () => {
    const { state } = new RolloutRun({ type: 'immediate' }, FLEET);
    const actions = [{ kind: 'finish', outcome: 'Succeeded', owed: [idOf('a'), idOf('b')] }] as const;
    const rows = [rowOf('a'), rowOf('b', { isOwed: true })];
    const { row, differing } = await after(rows, { before: state, after: state, actions });
    assert.equal(row('a')?.isOwed, true);
    assert.deepEqual(
      differing.map(({ name }) => name),
      ['a'],
      'nothing is written for what is known',
    );
  });
});

const GATE = 'canary/after/0/1';

/** The approvals after a turn with these actions, and the gates whose watches were dropped. */
async function gatesAfter(actions: TurnOutcome['actions'], open: readonly Approval[] = []) {
  const approvals = new Map(open.map((each) => [each.uid, each]));
  const dropped: string[] = [];
  const put = async (approval: Approval): Promise<void> => void approvals.set(approval.uid, approval);
  const unit = {
    approvals: { insert: put, replace: put, openOf: async () => open },
    watches: { drop: async (_: unknown, gate: string) => void dropped.push(gate) },
  } as unknown as UnitOfWork;
  const { state } = new RolloutRun({ type: 'immediate' }, FLEET);
  const rollout = { deployment: deployment.uid, revision: REVISION };
  const both = { before: state, after: { ...state, requestedBy: 'ann', requesters: ['ann', 'bob'] } };
  const outcome = { deployment, rollout, turn: TURN, rolloutEvents: [], actions, now: NOW, ...both };
  const events = await keepGates(unit, { outcome, newId: () => 'new' as Uuid }, signal);
  return { events, dropped, approvals: [...approvals.values()] };
}

async function anOpenApproval(its: Partial<Approval> = {}): Promise<Approval> {
  const asking = { kind: 'requestApproval', gate: GATE, revision: REVISION, requireDistinctApprover: true } as const;
  const [approval] = (await gatesAfter([asking])).approvals;
  if (approval === undefined) throw new RangeError('no approval was requested');
  return { ...approval, ...its };
}

describe('the gates of a turn', () => {
  it('ask for an approval of this revision, in the name of all who requested it', async () => {
    const { uid, revision, gate, step, requesters, needsDistinctApprover, state, version } = await anOpenApproval();
    assert.deepEqual([uid, revision, gate, step, state, version], ['new', REVISION, GATE, 'canary', 'Open', 1]);
    assert.deepEqual([requesters, needsDistinctApprover], [['ann', 'bob'], true]);
  });

  it('know the step also if its name has a slash', async () => {
    const asking = {
      kind: 'requestApproval',
      gate: 'eu/west/before/0/2',
      revision: REVISION,
      requireDistinctApprover: false,
    } as const;
    assert.equal((await gatesAfter([asking])).approvals[0]?.step, 'eu/west');
  });

  for (const { why, expireTime, want } of [
    { why: 'closed by something else', expireTime: undefined, want: 'Closed' },
    { why: 'closed in time', expireTime: NOW + 1, want: 'Closed' },
    { why: 'closed when its time was over', expireTime: NOW, want: 'Expired' },
  ] as const) {
    it(`take back an open approval: ${why}`, async () => {
      const open = await anOpenApproval({ expireTime });
      const { approvals, events, dropped } = await gatesAfter([{ kind: 'closeGate', gate: GATE }], [open]);
      assert.deepEqual(approvals, [{ ...open, state: want, version: 2 }]);
      assert.deepEqual([events.map(({ type }) => type), dropped], [['approval.closed'], [GATE]]);
    });
  }

  it('leave the approval of another gate open', async () => {
    const open = await anOpenApproval();
    const { approvals, events } = await gatesAfter([{ kind: 'closeGate', gate: 'rest/before/0/1' }], [open]);
    assert.deepEqual([approvals, events], [[open], []]);
  });
});
