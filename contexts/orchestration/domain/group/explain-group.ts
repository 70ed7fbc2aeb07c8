import { assertNever } from '#kit/std';
import type { Health } from '#protocol/delivery';
import { stepsOf } from '../manifest/group/deployment-group.ts';
import type { GroupScene } from './group-scene.ts';
import type { GroupPhase, GroupState } from './group-state.ts';
import { frontierOf, type Member, recordOf } from './members.ts';

/** Something that a group waits for. The same situation always has the same texts. */
export interface GroupWait {
  /** The child deployment it is about; absent when it is about the whole group. */
  readonly child?: string;
  readonly since: number;
  readonly message: string;
  /** The event that would let the group continue. */
  readonly unblock: string;
}

export interface GroupExplanation {
  readonly phase: GroupPhase;
  /** Since when the group is in that phase. */
  readonly since: number;
  /** The health that the platform, as the group's target, reports. */
  readonly health: Health;
  readonly message: string;
  /** Waits that block everything come first. Empty only when all children are healthy, or all are gone. */
  readonly waits: readonly GroupWait[];
}

export interface Explained {
  readonly state: GroupState;
  readonly scene: GroupScene;
  readonly members: readonly Member[];
  readonly isGivenUp: boolean;
}

const HEALTH_OF_PHASE: Readonly<Record<GroupPhase, Health>> = {
  Pending: 'Unknown',
  Deploying: 'Progressing',
  Healthy: 'Available',
  Degraded: 'Degraded',
};

/** Only the first few are named, to keep the message readable. */
const NAMED = 3;

export function explainGroup(explained: Explained): GroupExplanation {
  const { phase, since } = explained.state;
  const waits = phase === 'Healthy' ? [] : waitsOf(explained);
  return { phase, since, health: HEALTH_OF_PHASE[phase], message: messageOf(explained, waits), waits };
}

function messageOf({ scene, members, state }: Explained, waits: readonly GroupWait[]): string {
  const { desired } = scene;
  if (desired === undefined)
    return waits.length === 0 ? 'the group is deleted' : `the group is being deleted: ${textOf(waits)}`;
  const steps = stepsOf(desired.spec).length;
  if (state.phase === 'Healthy') return wellText(desired.spec.deployments.length);
  const frontier = frontierOf(members);
  return Number.isFinite(frontier) ? `step ${frontier + 1} of ${steps}: ${textOf(waits)}` : textOf(waits);
}

function wellText(count: number): string {
  return count === 1 ? 'its deployment is healthy' : `all ${count} deployments are healthy`;
}

function textOf(waits: readonly GroupWait[]): string {
  const [shown, more] = [waits.slice(0, NAMED), waits.length - NAMED];
  return [...shown.map(({ message }) => message), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function waitsOf(explained: Explained): readonly GroupWait[] {
  const { members, state, scene, isGivenUp } = explained;
  const frontier = frontierOf(members);
  const wanted = members.filter((member) => member.wanted !== undefined && member.standing !== 'Healthy');
  const broken = wanted.filter(({ standing }) => standing === 'Degraded');
  const others = wanted.filter(({ standing, step }) => standing !== 'Degraded' && step === frontier);
  const leaving = members.filter((member) => member.wanted === undefined);
  const last = Math.max(...leaving.map(({ step }) => step));
  return [
    ...(isGivenUp ? [rollingBack(state)] : []),
    ...(scene.isPaused ? [paused(state)] : []),
    ...(state.aborted === undefined ? [] : [aborted(state.aborted.since)]),
    ...[...broken, ...others].map((member) => waitFor(member, state)),
    ...leaving.filter(({ step }) => step === last).map((member) => waitFor(member, state)),
  ];
}

function rollingBack({ since }: GroupState): GroupWait {
  const message = 'the change is rolled back';
  return { since, message, unblock: 'the rollback finishes' };
}

function paused({ pausedSince, since }: GroupState): GroupWait {
  return { since: pausedSince ?? since, message: 'the group is paused', unblock: 'resume the group' };
}

function aborted(since: number): GroupWait {
  return { since, message: 'the rollout of the group was aborted', unblock: 'retry, patch or roll back the group' };
}

function waitFor(member: Member, state: GroupState): GroupWait {
  const { name: child } = member;
  return { child, since: recordOf(state, child)?.since ?? state.since, ...reasonOf(member) };
}

function reasonOf(member: Member): Pick<GroupWait, 'message' | 'unblock'> {
  const { name, refusal, isStray, view, standing, wanted } = member;
  if (refusal !== undefined) {
    const asked = view === undefined ? 'created' : 'changed';
    return { message: `${name} cannot be ${asked}: ${refusal}`, unblock: 'it is retried, or patch the group' };
  }
  if (isStray) {
    const message = `${name} was rolled back and does not have what the group requested`;
    return { message, unblock: 'patch the group' };
  }
  switch (standing) {
    case 'Degraded':
      return {
        message: `${name} is degraded: ${view?.message ?? ''}`,
        unblock: `${name} becomes healthy, or patch the group`,
      };
    case 'Leaving': {
      const message = wanted === undefined ? `${name} leaves the group` : `${name} was deleted on its own`;
      const then = wanted === undefined ? '' : ', and is then created again';
      return { message, unblock: `${name} is gone from its targets${then}` };
    }
    case 'Waiting':
    case 'Progressing':
    case 'Healthy':
      return view?.isPaused === true && member.record?.isHeld !== true
        ? { message: `${name} is paused`, unblock: `resume ${name}` }
        : { message: `${name} is not healthy yet`, unblock: `${name} becomes healthy` };
    default:
      return assertNever(standing, 'standing');
  }
}
