import type { DeploymentId } from '../deployment/deployment.ts';
import { explainGroup, type GroupExplanation } from './explain-group.ts';
import type { GroupScene } from './group-scene.ts';
import type { ChildRecord, GroupPhase, GroupState } from './group-state.ts';
import { deltaOf, frontierOf, isAsked, type Member, membersOf, recordOf } from './members.ts';

/** Delay before a refused request to a child is retried. */
export const REFUSAL_RETRY_MS = 30_000;

/** Every action may be carried out twice; all actions of one decision are carried out together. */
export type GroupAction =
  | { readonly kind: 'create'; readonly name: string }
  | { readonly kind: 'patch'; readonly name: string; readonly uid: DeploymentId; readonly fields: readonly string[] }
  | { readonly kind: 'rename'; readonly name: string; readonly uid: DeploymentId; readonly to: string }
  | { readonly kind: 'delete'; readonly name: string; readonly uid: DeploymentId }
  | { readonly kind: 'pause' | 'resume' | 'abort' | 'retry'; readonly name: string; readonly uid: DeploymentId }
  /** Of the group itself: the next revision brings back the content of this one. */
  | { readonly kind: 'rollback'; readonly to: number; readonly reason: string };

export interface GroupDecision {
  /** The state once all actions are done; `recordOutcomes` corrects it for refused ones. */
  readonly state: GroupState;
  readonly actions: readonly GroupAction[];
  readonly explanation: GroupExplanation;
  /** The group is being deleted, and nothing of it is left. */
  readonly isGone: boolean;
  /** When to look again if nothing happens before. */
  readonly wakeAt: number | undefined;
}

/**
 * Decides the next actions of a group. Level-triggered: it looks at the current state, not at events, so that a missed
 * event is made up for by the next run, and a healthy group needs no actions.
 */
export function decideGroup(before: GroupState, scene: GroupScene, now: number): GroupDecision {
  const renamed = rename(before, scene);
  const members = membersOf(renamed.state, renamed.scene, now);
  const failure = failureOf(renamed, members);
  const turn: Turn = { ...renamed, members, now, isGivenUp: failure !== undefined || isGivenUp(renamed) };
  const isStill = standsStill(renamed) || turn.isGivenUp;
  const actions = [
    ...renamed.actions,
    ...(failure === undefined ? [] : [failure]),
    ...aborts(turn),
    ...(isStill ? [] : [...beginnings(turn), ...retries(turn), ...deletions(turn)]),
    ...holds(turn),
  ];
  const state = nextState(turn, actions);
  return {
    state,
    actions,
    explanation: explainGroup({ state, scene: renamed.scene, members, isGivenUp: turn.isGivenUp }),
    isGone: scene.desired === undefined && scene.children.length === 0,
    wakeAt: wakeAt(state, turn),
  };
}

interface Renamed {
  readonly state: GroupState;
  readonly scene: GroupScene;
  readonly actions: readonly GroupAction[];
}

interface Turn extends Renamed {
  readonly members: readonly Member[];
  readonly now: number;
  readonly isGivenUp: boolean;
}

/** A child of which only the name changed keeps its deployment and everything it runs. */
function rename(state: GroupState, scene: GroupScene): Renamed {
  const occupied = new Set([...scene.taken, ...scene.children.map(({ name }) => name)]);
  const renames = standsStill({ state, scene })
    ? []
    : deltaOf(state, scene).renames.filter(({ to }) => !occupied.has(to));
  if (renames.length === 0) return { state, scene, actions: [] };
  const names = new Map(renames.map(({ from, to }) => [from, to]));
  const nameOf = (name: string) => names.get(name) ?? name;
  const fresh = new Set(names.values());
  const records = Object.entries(state.children).filter(([name]) => !fresh.has(name));
  return {
    state: {
      ...state,
      children: Object.fromEntries(records.map(([name, record]) => [nameOf(name), called(record, nameOf(name))])),
    },
    scene: { ...scene, children: scene.children.map((view) => ({ ...view, name: nameOf(view.name) })) },
    actions: scene.children.flatMap(({ name, uid }) => {
      const to = names.get(name);
      return to === undefined ? [] : [{ kind: 'rename', name, uid, to } as const];
    }),
  };
}

function called(record: ChildRecord, name: string): ChildRecord {
  return record.asked === undefined ? record : { ...record, asked: { ...record.asked, name } };
}

/** The group creates, patches and deletes nothing. */
function standsStill(its: Pick<Renamed, 'state' | 'scene'>): boolean {
  return its.scene.isPaused || isAborted(its.scene) || isGivenUp(its);
}

/** A group that is being deleted is deleted even if its last rollout was aborted. */
function isAborted({ desired, aborted }: GroupScene): boolean {
  return desired !== undefined && aborted !== undefined;
}

/** An abort reaches the children once: rollouts that start in them later have another cause. */
function isJustAborted({ state, scene }: Pick<Renamed, 'state' | 'scene'>): boolean {
  return isAborted(scene) && state.aborted?.revision !== scene.aborted;
}

function isGivenUp({ state, scene }: Pick<Renamed, 'state' | 'scene'>): boolean {
  return scene.desired !== undefined && state.givenUp === scene.desired.revision;
}

/**
 * DECISION: only children that this revision of the group touched count, before the revision was healthy once, and only
 * if the child cannot recover by itself. A deployment that breaks after running for a year is no reason to undo the last
 * change.
 */
function failureOf(turn: Renamed, members: readonly Member[]): GroupAction | undefined {
  const { state, scene } = turn;
  const { desired, lastGood } = scene;
  if (desired?.spec.onFailure !== 'rollback' || lastGood === undefined || lastGood >= desired.revision)
    return undefined;
  if (standsStill(turn) || state.reached >= desired.revision) return undefined;
  const failed = members.find(
    ({ standing, view, record, refusal }) =>
      refusal !== undefined ||
      (standing === 'Degraded' && record?.revision === desired.revision && view?.isMoving === false),
  );
  if (failed === undefined) return undefined;
  const what = failed.refusal === undefined ? 'is degraded' : 'cannot be created or changed';
  return { kind: 'rollback', to: lastGood, reason: `${failed.name} ${what}` };
}

function aborts(turn: Turn): GroupAction[] {
  if (!isJustAborted(turn)) return [];
  return turn.members.flatMap(({ name, view }): GroupAction[] =>
    view?.hasRollout === true && !view.isDeleting ? [{ kind: 'abort', name, uid: view.uid }] : [],
  );
}

/**
 * Retries children that were aborted with the group, once it continues and their step has come. A patched child starts a
 * new rollout anyway.
 */
function retries({ members }: Turn): GroupAction[] {
  const frontier = frontierOf(members);
  return members.flatMap((member): GroupAction[] => {
    const { name, view, record, step } = member;
    if (record?.isAborted !== true || view === undefined || !isAsked(member) || step > frontier) return [];
    return view.hasRollout || view.health === 'Healthy' ? [] : [{ kind: 'retry', name, uid: view.uid }];
  });
}

/** A step begins when all children of the one before are healthy; the children of one step begin together. */
function beginnings({ members }: Turn): (GroupAction & { name: string })[] {
  const frontier = frontierOf(members);
  return members.flatMap((member): (GroupAction & { name: string })[] => {
    const { name, wanted, step, view, fields, refusal } = member;
    if (wanted === undefined || step > frontier || refusal !== undefined) return [];
    if (view === undefined) return [{ kind: 'create', name }];
    if (view.isDeleting || fields.length === 0) return [];
    return [{ kind: 'patch', name, uid: view.uid, fields }];
  });
}

/**
 * Deletes the last step first, each step once the steps after it are gone.
 *
 * DECISION: children that left the group are deleted only once every step has begun. By then the children that depended
 * on them have been updated, and a group that halts deletes nothing.
 */
function deletions({ members, scene }: Turn): GroupAction[] {
  const wanted = members.filter((member) => member.wanted !== undefined);
  if (scene.desired !== undefined && !wanted.every(isAsked)) return [];
  const leaving = members.filter((member) => member.wanted === undefined);
  const last = Math.max(...leaving.map(({ step }) => step));
  return leaving.flatMap(({ name, step, view }) =>
    step === last && view !== undefined && !view.isDeleting ? [{ kind: 'delete', name, uid: view.uid } as const] : [],
  );
}

/** Pauses children, and resumes them when the reason is gone. A child paused by a user stays paused. */
function holds(turn: Turn): GroupAction[] {
  return turn.members.flatMap((member): GroupAction[] => {
    const { name, view, record } = member;
    if (view === undefined) return [];
    const isHeld = record?.isHeld === true;
    if (shouldHold(turn, member))
      return view.isPaused || view.isDeleting ? [] : [{ kind: 'pause', name, uid: view.uid }];
    return isHeld && view.isPaused ? [{ kind: 'resume', name, uid: view.uid }] : [];
  });
}

/**
 * A step that became degraded pauses the children of later steps that are still rolling out, until it is healthy again.
 */
function shouldHold(turn: Turn, { step, wanted, view, record }: Member): boolean {
  const { state, scene, members } = turn;
  if (scene.isPaused) return true;
  if (scene.desired === undefined || wanted === undefined || view?.isDeleting === true) return false;
  if (state.reached >= scene.desired.revision) return false;
  // The requested change has not become a rollout yet that could be aborted.
  const isBeginning = view?.isMoving === true && !view.hasRollout;
  if (isAborted(scene)) return record?.isHeld === true || (isBeginning && isJustAborted(turn));
  if (record?.isHeld === true) return step > frontierOf(members);
  return view?.isMoving === true && members.some((other) => isBrokenBefore(other, step));
}

function isBrokenBefore(other: Member, step: number): boolean {
  return other.wanted !== undefined && other.step < step && other.standing === 'Degraded';
}

function nextState(turn: Turn, actions: readonly GroupAction[]): GroupState {
  const { state, scene, members, now, isGivenUp: givenUp } = turn;
  const byName = Map.groupBy(actions, (action) => (action.kind === 'rollback' ? '' : nameAfter(action)));
  const children = members.map((member) => ({
    member,
    record: nextRecord(turn, member, byName.get(member.name) ?? []),
  }));
  const phase = phaseOf(turn, children);
  const revision = scene.desired?.revision ?? 0;
  const { pausedSince = now } = state;
  return {
    phase,
    since: phase === state.phase ? state.since : now,
    ...(scene.isPaused ? { pausedSince } : {}),
    ...abortedAfter(turn),
    children: Object.fromEntries(children.map(({ member, record }) => [member.name, record])),
    reached: phase === 'Healthy' ? Math.max(state.reached, revision) : state.reached,
    givenUp: givenUp ? revision : state.givenUp,
  };
}

function abortedAfter({ state, scene, now }: Turn): Pick<GroupState, 'aborted'> {
  if (!isAborted(scene) || scene.aborted === undefined) return {};
  return {
    aborted:
      isJustAborted({ state, scene }) || !state.aborted ? { revision: scene.aborted, since: now } : state.aborted,
  };
}

function nameAfter(action: Exclude<GroupAction, { kind: 'rollback' }>): string {
  return action.kind === 'rename' ? action.to : action.name;
}

function nextRecord({ scene, now }: Turn, member: Member, actions: readonly GroupAction[]): ChildRecord {
  const { wanted, record, step } = member;
  const revision = scene.desired?.revision ?? 0;
  const isBegun = actions.some(({ kind }) => kind === 'create' || kind === 'patch');
  const standing = isBegun ? 'Progressing' : member.standing;
  const { refusal, isAborted: _, ...kept } = record ?? { revision: 0, since: now };
  return {
    ...kept,
    ...(isBegun && wanted !== undefined ? { asked: wanted, revision } : {}),
    ...(refusal === undefined || isBegun ? {} : { refusal }),
    step,
    standing,
    since: record?.standing === standing ? record.since : now,
    isHeld: isHeldAfter(member, actions),
    ...(isAbortedAfter(member, actions) ? { isAborted: true } : {}),
  };
}

function isAbortedAfter({ record, view }: Member, actions: readonly GroupAction[]): boolean {
  if (actions.some(({ kind }) => kind === 'abort')) return true;
  const isBegun = actions.some(({ kind }) => kind === 'create' || kind === 'patch' || kind === 'retry');
  return record?.isAborted === true && view !== undefined && view.health !== 'Healthy' && !isBegun;
}

function isHeldAfter({ record, view }: Member, actions: readonly GroupAction[]): boolean {
  if (actions.some(({ kind }) => kind === 'pause')) return true;
  // A user resumed it by hand, or it is another deployment now.
  return record?.isHeld === true && view?.isPaused === true && !actions.some(({ kind }) => kind === 'resume');
}

function phaseOf({ scene }: Turn, children: readonly { member: Member; record: ChildRecord }[]): GroupPhase {
  if (scene.desired === undefined) return 'Deploying';
  const wanted = children.filter(({ member }) => member.wanted !== undefined);
  if (wanted.some(({ record }) => record.standing === 'Degraded')) return 'Degraded';
  if (children.every(({ record }) => record.standing === 'Healthy')) return 'Healthy';
  if (isAborted(scene)) return 'Degraded';
  return wanted.every(({ record }) => record.asked === undefined) ? 'Pending' : 'Deploying';
}

/** There is no event when a name becomes free, or when a refused change would be accepted. */
function wakeAt(state: GroupState, { scene, members, now }: Turn): number | undefined {
  const times = members.flatMap(({ name, refusal }) => {
    if (refusal === undefined || scene.isPaused || isAborted(scene)) return [];
    const until = recordOf(state, name)?.refusal?.until ?? 0;
    return [until > now ? until : now + REFUSAL_RETRY_MS];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}
