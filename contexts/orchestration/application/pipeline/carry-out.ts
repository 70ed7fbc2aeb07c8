import type { Uuid } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { Approval } from '../../domain/deployment/approval.ts';
import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import type { OrchestrationEvent } from '../../domain/deployment/deployment-event.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { failed as withFailure, withOrder, withoutOrder } from '../../domain/deployment/order-of-target.ts';
import { changesContent } from '../../domain/deployment/requested-change.ts';
import type { Revision } from '../../domain/deployment/revision.ts';
import { countsWith } from '../../domain/deployment/status/counts-after.ts';
import { rolloutStatus } from '../../domain/deployment/status/rollout-status.ts';
import { changed } from '../../domain/deployment/status/with-status.ts';
import type { RecordedTrigger } from '../../domain/deployment/trigger.ts';
import type { Action } from '../../domain/rollout/machine/action.ts';
import type { Wait } from '../../domain/rollout/machine/explain-wait.ts';
import type { Member } from '../../domain/rollout/machine/member.ts';
import { entriesOf, keysOf, valueAt } from '../../domain/rollout/machine/number-map.ts';
import type { RolloutEvent } from '../../domain/rollout/machine/rollout-event.ts';
import type { RolloutState } from '../../domain/rollout/machine/rollout-state.ts';
import type { RolloutKey, UnitOfWork } from '../ports.ts';
import { requestPlan } from '../wake-pipeline.ts';
import { saveDeployment } from './save-deployment.ts';

/** The result of a turn. */
export interface TurnOutcome {
  readonly deployment: Deployment;
  readonly rollout: RolloutKey;
  readonly turn: number;
  readonly before: RolloutState;
  readonly after: RolloutState;
  readonly rolloutEvents: readonly RolloutEvent[];
  readonly actions: readonly Action[];
  readonly now: number;
}

/** The orders to send, the targets whose orders are dropped, and those that are owed content. */
interface TurnOrders {
  readonly kinds: ReadonlyMap<TargetId, 'deliver' | 'remove'>;
  readonly cancelled: ReadonlySet<TargetId>;
  /** They did not get their content in this rollout. */
  readonly owed: ReadonlySet<TargetId>;
}

function turnOrders({ actions, after }: Pick<TurnOutcome, 'actions' | 'after'>): TurnOrders {
  const kinds = new Map<TargetId, 'deliver' | 'remove'>();
  const cancelled = new Set<TargetId>();
  const owed = new Set<TargetId>();
  for (const action of actions) {
    if (action.kind === 'finish') for (const target of action.owed) owed.add(target);
    if (action.kind === 'generateAndDeliver' || action.kind === 'remove') {
      kinds.set(action.target, action.kind === 'remove' ? 'remove' : 'deliver');
      // The later order counts, and the agent receives it.
      cancelled.delete(action.target);
    }
    if (action.kind !== 'cancelDeliveries') continue;
    for (const target of action.targets) {
      // An order decided in this same turn was never sent.
      if (!kinds.delete(target)) cancelled.add(target);
    }
  }
  // A finished rollout sends nothing.
  return { kinds: after.phase.kind === 'Finished' ? new Map() : kinds, cancelled, owed };
}

export interface ChangedRows {
  readonly before: readonly DeploymentTarget[];
  readonly after: readonly DeploymentTarget[];
  /** The rows that changed. */
  readonly differing: readonly DeploymentTarget[];
  /** Rows whose agents have to be told about the cancellation. */
  readonly cancelled: readonly DeploymentTarget[];
  readonly hasBatch: boolean;
}

/** The rows that a turn changes, read in bulk. The caller writes them. */
export async function changedRows(unit: UnitOfWork, outcome: TurnOutcome, signal: AbortSignal): Promise<ChangedRows> {
  const { deployment, turn, rollout, now } = outcome;
  const { kinds, cancelled, owed } = turnOrders(outcome);
  const failed = outcome.before.owed === outcome.after.owed ? [] : lateFailures(outcome);
  const late = new Map(failed.map((member) => [member.id, member]));
  const back = comeBack(outcome);
  const ids = new Set([...kinds.keys(), ...cancelled, ...late.keys(), ...back, ...owed]);
  const before = ids.size === 0 ? [] : await unit.targets.some(deployment.uid, [...ids], signal);
  let hasBatch = false;
  const after = before.map((row) => {
    const kind = kinds.get(row.target);
    if (kind !== undefined) {
      hasBatch = true;
      return withOrder(row, { kind, revision: rollout.revision, batch: turn, state: 'queued' }, now);
    }
    const { order } = row;
    const isOurs = order?.revision === rollout.revision;
    const isUntaken = isOurs && order.state !== 'accepted';
    let next = cancelled.has(row.target) && isOurs ? withoutOrder(row, now) : row;
    if (next === row && isUntaken && back.has(row.target) && outcome.after.phase.kind !== 'Finished') {
      hasBatch = true;
      // An order in state `queued` is in its batch already; one in state `sent` may have been lost with the connection.
      next = { ...row, order: { ...order, state: 'queued', batch: turn } };
    }
    const failure = late.get(row.target)?.failure;
    if (failure !== undefined) next = withFailure(next, { ...failure, revision: rollout.revision }, now);
    if (owed.has(row.target) && !next.isOwed) next = { ...next, isOwed: true, updateTime: now };
    return next;
  });
  const was = new Map(before.map((row) => [row.target, row]));
  return {
    before,
    after,
    differing: after.filter((row) => was.get(row.target) !== row),
    cancelled: before.filter(
      ({ target, order }) => cancelled.has(target) && order !== undefined && order.state !== 'queued',
    ),
    hasBatch,
  };
}

/** Members whose deadline passed: only the state machine knows about these failures. */
function lateFailures({ before, after }: TurnOutcome): readonly Member[] {
  return [...keysOf(after.owed)]
    .filter((number) => valueAt(before.owed, number) === undefined)
    .map((number) => valueAt(after.members, number))
    .filter((member) => member !== undefined)
    .filter(({ failure }) => failure?.reason === 'ProgressDeadline' || failure?.reason === 'OfflineDeadline');
}

function comeBack({ rolloutEvents }: TurnOutcome): ReadonlySet<TargetId> {
  return new Set(
    rolloutEvents.flatMap((event) => (event.kind === 'connectionChanged' && event.isOnline ? event.target : [])),
  );
}

export interface GateScene {
  readonly outcome: TurnOutcome;
  readonly newId: () => Uuid;
}

/** Stores the approvals that the turn requests, and closes those that it no longer waits for. */
export async function keepGates(
  unit: UnitOfWork,
  { outcome, newId }: GateScene,
  signal: AbortSignal,
): Promise<readonly OrchestrationEvent[]> {
  const events: OrchestrationEvent[] = [];
  for (const action of outcome.actions) {
    if (action.kind === 'requestApproval') {
      const approval = approvalFor(outcome, { action, uid: newId() });
      await unit.approvals.insert(approval, signal);
      events.push({ type: 'approval.requested', approval });
    }
    if (action.kind === 'closeGate') events.push(...(await closeGate(unit, outcome, action.gate, signal)));
  }
  return events;
}

async function closeGate(
  unit: UnitOfWork,
  { rollout, now }: TurnOutcome,
  gate: string,
  signal: AbortSignal,
): Promise<readonly OrchestrationEvent[]> {
  await unit.watches.drop(rollout, gate, signal);
  const open = (await unit.approvals.openOf(rollout, signal)).find((approval) => approval.gate === gate);
  if (open === undefined) return [];
  const isLate = open.expireTime !== undefined && open.expireTime <= now;
  const approval: Approval = { ...open, state: isLate ? 'Expired' : 'Closed', version: open.version + 1 };
  await unit.approvals.replace(approval, signal);
  return [{ type: 'approval.closed', approval }];
}

function approvalFor(
  { deployment, rollout, after, now }: TurnOutcome,
  { action, uid }: { readonly action: Extract<Action, { kind: 'requestApproval' }>; readonly uid: Uuid },
): Approval {
  return {
    uid,
    deployment: deployment.uid,
    deploymentName: deployment.name,
    workspace: deployment.workspace,
    revision: rollout.revision,
    gate: action.gate,
    // The id of a gate consists of its step, `before` or `after`, its position there, and a number.
    step: action.gate.split('/').slice(0, -3).join('/'),
    requestedBy: after.requestedBy,
    requesters: after.requesters,
    needsDistinctApprover: action.requireDistinctApprover,
    createTime: now,
    expireTime: action.expiresAt,
    state: 'Open',
    answer: undefined,
    version: 1,
  };
}

export interface Finishing {
  readonly outcome: TurnOutcome;
  readonly revision: Revision;
  readonly triggers: readonly RecordedTrigger[];
}

export interface Saving {
  readonly outcome: TurnOutcome;
  readonly revision: Revision;
  readonly rows: ChangedRows;
  readonly joined: Pick<ChangedRows, 'before' | 'after'>;
  readonly events: readonly OrchestrationEvent[];
  readonly waits: readonly Wait[];
  readonly trouble: string | undefined;
}

/** How many revisions are searched for one that succeeded. */
const LOOKED_BACK = 100;

/** The rollout is over. A failed one may ask for a rollback. */
export async function endRollout(
  unit: UnitOfWork,
  { outcome, revision, triggers }: Finishing,
  signal: AbortSignal,
): Promise<void> {
  const { rollout, after, turn, now, actions } = outcome;
  if (after.phase.kind !== 'Finished') return;
  const isHeldUp = outcome.deployment.status.placement.held.some(({ why }) => why === 'MovesUnfinished');
  const removed = isHeldUp ? removedIn(after) : undefined;
  // Moves that waited for these removals are planned now. Each such plan removes something, so this ends.
  if (removed !== undefined) {
    const trigger = { kind: 'target', target: removed, causes: [] } as const;
    await requestPlan(unit, rollout.deployment, { triggers: [trigger], now }, signal);
  }
  const { outcome: how, message } = after.phase;
  const ended = { endTime: now, outcome: how, message: message === '' ? undefined : message, turns: turn };
  await Promise.all([
    unit.revisions.replace({ ...revision, ...ended }, signal),
    unit.rollouts.end(rollout, signal),
    unit.generated.drop(rollout.deployment, signal),
    unit.watches.dropAll(rollout, signal),
    how === 'Succeeded' ? unit.authors.succeeded(rollout.deployment, revision.generation, signal) : undefined,
  ]);
  const rollback = actions.find((action) => action.kind === 'rollback');
  // A pending change of the content may be the repair.
  if (rollback === undefined || triggers.some(({ trigger }) => changesContent(trigger))) return;
  const good = await lastGood(unit, rollout, signal);
  if (good === undefined) return;
  const trigger = { kind: 'rollback', to: good, paced: false, by: 'fleetshift', reason: rollback.message } as const;
  await requestPlan(unit, rollout.deployment, { triggers: [trigger], now }, signal);
}

/** The first target that the rollout removed. */
function removedIn({ members }: RolloutState): TargetId | undefined {
  for (const [, { change, status, id }] of entriesOf(members)) {
    if (change === 'remove' && status === 'Done') return id;
  }
  return undefined;
}

/** The status of the deployment after the turn, and its events. */
export async function saveStatus(unit: UnitOfWork, saved: Saving, signal: AbortSignal): Promise<void> {
  const { outcome, revision, rows, joined, events, waits, trouble: message } = saved;
  const { deployment, after: state, before, now } = outcome;
  const counts = [joined, rows].reduce(countedWith, deployment.status.counts);
  const rollout = rolloutStatus({ state, startTime: revision.createTime, trigger: revision.trigger, waits });
  const isFinished = state.phase.kind === 'Finished';
  const trouble = message === undefined ? {} : { trouble: { reason: 'PlanFailed', message, since: now } };
  const after = changed(
    deployment,
    {
      ...(isFinished ? { rollout: undefined } : {}),
      status: { ...deployment.status, counts, rollout, ...trouble },
    },
    now,
  );
  const phase = phaseEvent(before, state, after);
  const status = after === deployment ? [] : [{ type: 'deployment.statusChanged', deployment: after } as const];
  const all = [...events, ...(phase === undefined ? status : [phase])];
  await saveDeployment(unit, { before: deployment, after, events: all, now }, signal);
}

function phaseEvent(before: RolloutState, after: RolloutState, deployment: Deployment): OrchestrationEvent | undefined {
  if (before.phase.kind === after.phase.kind) return undefined;
  if (after.phase.kind === 'Finished') return { type: 'rollout.finished', deployment };
  if (after.phase.kind === 'Paused') return { type: 'rollout.paused', deployment };
  return before.phase.kind === 'Paused' ? { type: 'rollout.resumed', deployment } : undefined;
}

function countedWith(counts: Deployment['status']['counts'], { before, after }: Pick<ChangedRows, 'before' | 'after'>) {
  const old = new Map(before.map((row) => [row.target, row]));
  const kept = new Set(after.map(({ target }) => target));
  return countsWith(counts, old, { rows: after, gone: new Set(old.keys()).difference(kept) });
}

async function lastGood(unit: UnitOfWork, { deployment, revision }: RolloutKey, signal: AbortSignal) {
  const older = await unit.revisions.page({ deployment, before: revision, limit: LOOKED_BACK }, signal);
  return older.find(({ outcome }) => outcome === 'Succeeded')?.revision;
}

/** The waits of a rollout, with target names in place of ids, for people. */
export async function namedWaits(
  unit: UnitOfWork,
  { deployment, waits }: { readonly deployment: DeploymentId; readonly waits: readonly Wait[] },
  signal: AbortSignal,
): Promise<readonly Wait[]> {
  const ids = [...new Set(waits.flatMap(({ targets }) => targets ?? []))];
  if (ids.length === 0) return waits;
  const rows = await unit.targets.some(deployment, ids, signal);
  const names = new Map(rows.map(({ target, name }) => [target, name]));
  return waits.map(({ targets, ...wait }) =>
    targets === undefined ? wait : { ...wait, targets: targets.map((id) => (names.get(id) ?? id) as TargetId) },
  );
}
