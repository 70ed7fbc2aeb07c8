import type { Brand, Json, ResourceName } from '#kit/std';
import type { Acknowledgement, DeliveryOrder, PreviewAnswer } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { Approval } from '../domain/deployment/approval.ts';
import type { Deployment, DeploymentId } from '../domain/deployment/deployment.ts';
import type { OrchestrationEvent } from '../domain/deployment/deployment-event.ts';
import type { DeploymentTarget } from '../domain/deployment/deployment-target.ts';
import type { Revision } from '../domain/deployment/revision.ts';
import type { RecordedTrigger, Trigger } from '../domain/deployment/trigger.ts';
import type { GroupState } from '../domain/group/group-state.ts';
import type { GenerateTarget } from '../domain/manifest/generate-context.ts';
import type { DeploymentGroupSpec } from '../domain/manifest/group/deployment-group.ts';
import type { Payload } from '../domain/manifest/payload.ts';
import type { ReportedScores } from '../domain/placement/placement-strategy.ts';
import type { GateSpec } from '../domain/rollout/gates/gate.ts';
import type { Happening } from '../domain/rollout/machine/happening.ts';
import type { RolloutStart } from '../domain/rollout/machine/open-rollout.ts';
import type { RolloutState } from '../domain/rollout/machine/rollout-state.ts';
import type { PlacementView } from '../domain/target-view.ts';

/** Everything in it happens together or not at all, and what was read in it still holds when it ends. */
export interface UnitOfWork {
  readonly deployments: DeploymentStore;
  readonly triggers: TriggerStore;
  readonly targets: DeploymentTargetStore;
  readonly revisions: RevisionStore;
  readonly rollouts: RolloutStore;
  readonly contents: ContentStore;
  readonly approvals: ApprovalStore;
  readonly authors: AuthorStore;
  readonly watches: WatchStore;
  readonly scores: ScoreStore;
  readonly groups: GroupStore;
  readonly pool: TargetPool;
  readonly workspaces: WorkspaceDirectory;
  readonly requiredGates: RequiredGates;
  readonly events: EventSink;
}

/** Opens units of work for what no request opened: workflows, reports, upkeep. A body may be run again. */
export interface Units {
  write<T>(body: (unit: UnitOfWork) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** The same for work on these deployments: of each, one at a time in this process. Two at once would undo each other. */
  writeOf<T>(
    deployments: readonly DeploymentId[],
    body: (unit: UnitOfWork) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
  /** Looks only; never waits for a writer. */
  read<T>(body: (unit: UnitOfWork) => Promise<T>, signal: AbortSignal): Promise<T>;
}

export interface DeploymentStore {
  find(workspace: ResourceName, name: ResourceName, signal: AbortSignal): Promise<Deployment | undefined>;
  get(uid: DeploymentId, signal: AbortSignal): Promise<Deployment | undefined>;
  /** Those of them that are there, in no order. */
  getAll(uids: readonly DeploymentId[], signal: AbortSignal): Promise<readonly Deployment[]>;
  /** Its name is free and its workspace is there: the caller has looked. */
  insert(deployment: Deployment, signal: AbortSignal): Promise<void>;
  /** `VERSION_STALE` unless the stored one is the version before this. Name, uid, workspace and owner stay. */
  replace(next: Deployment, signal: AbortSignal): Promise<void>;
  /** With all that is kept of it: triggers, targets, revisions, rollouts, approvals, watches. */
  remove(uid: DeploymentId, signal: AbortSignal): Promise<void>;
  childrenOf(group: DeploymentId, signal: AbortSignal): Promise<readonly Deployment[]>;
  /** All whose workspace is one of these: whom a change of a target below them may concern. */
  inWorkspaces(paths: readonly string[], signal: AbortSignal): Promise<readonly Deployment[]>;

  /** There is something for its pipeline, which is begun when there is none under way. */
  wake(uid: DeploymentId, signal: AbortSignal): Promise<void>;
  /** The pipeline has taken in all that was there for it up to this unit of work. */
  hear(uid: DeploymentId, signal: AbortSignal): Promise<void>;
  /** False of a run that is over: its answer was lost, and there may be another under way. */
  isUnderWay(uid: DeploymentId, run: number, signal: AbortSignal): Promise<boolean>;
  /** The run is over, unless something came that it has not heard: then false. */
  rest(uid: DeploymentId, run: number, signal: AbortSignal): Promise<boolean>;
}

export interface TriggerStore {
  /** Wakes the pipeline, too. */
  add(deployment: DeploymentId, triggers: readonly Trigger[], now: number, signal: AbortSignal): Promise<void>;
  /** In the order in which they came. */
  of(deployment: DeploymentId, signal: AbortSignal): Promise<readonly RecordedTrigger[]>;
  drop(ids: readonly string[], signal: AbortSignal): Promise<void>;
}

/** The rows of deployment and target. Many at once, always: a fleet is large. */
export interface DeploymentTargetStore {
  of(deployment: DeploymentId, signal: AbortSignal): Promise<readonly DeploymentTarget[]>;
  some(
    deployment: DeploymentId,
    targets: readonly TargetId[],
    signal: AbortSignal,
  ): Promise<readonly DeploymentTarget[]>;
  /** All deployments that have something to do with the target. */
  onTarget(target: TargetId, signal: AbortSignal): Promise<readonly DeploymentTarget[]>;
  onTargets(targets: readonly TargetId[], signal: AbortSignal): Promise<readonly DeploymentTarget[]>;
  /** In the order of names. Fewer than the limit means that there are no more. */
  page(range: TargetPage, signal: AbortSignal): Promise<readonly DeploymentTarget[]>;
  inBatch(deployment: DeploymentId, batch: number, signal: AbortSignal): Promise<readonly DeploymentTarget[]>;
  /** Inserts or replaces. */
  put(rows: readonly DeploymentTarget[], signal: AbortSignal): Promise<void>;
  /** The orders of these that are in the batch, and not taken yet, are sent now. How many there were. */
  markSent(batch: SentBatch, targets: readonly TargetId[], signal: AbortSignal): Promise<number>;
  drop(deployment: DeploymentId, targets: readonly TargetId[], signal: AbortSignal): Promise<void>;
  /** How many deployments each of the targets carries, but for this one. */
  loads(
    except: DeploymentId,
    targets: readonly TargetId[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<TargetId, number>>;
}

export interface SentBatch {
  readonly deployment: DeploymentId;
  readonly revision: number;
  readonly batch: number;
  readonly hash: string;
  readonly now: number;
}

export interface TargetPage {
  readonly deployment: DeploymentId;
  readonly after: string | undefined;
  readonly limit: number;
}

export interface RevisionStore {
  insert(revision: Revision, signal: AbortSignal): Promise<void>;
  find(deployment: DeploymentId, revision: number, signal: AbortSignal): Promise<Revision | undefined>;
  /** Newest first. */
  page(range: RevisionPage, signal: AbortSignal): Promise<readonly Revision[]>;
  /** Turns, end, outcome, message. */
  replace(revision: Revision, signal: AbortSignal): Promise<void>;
}

export interface RevisionPage {
  readonly deployment: DeploymentId;
  readonly before: number | undefined;
  readonly limit: number;
}

/** A rollout is what happened to it: its state is worked out from these, and kept now and then to save time. */
export interface RolloutStore {
  begin(rollout: RolloutKey, opening: RolloutOpening, signal: AbortSignal): Promise<void>;
  opening(rollout: RolloutKey, signal: AbortSignal): Promise<RolloutOpening | undefined>;
  appendTurn(rollout: RolloutKey, turn: RolloutTurn, signal: AbortSignal): Promise<void>;
  /** Those after this one, in order. */
  turnsAfter(rollout: RolloutKey, turn: number, signal: AbortSignal): Promise<readonly RolloutTurn[]>;
  snapshot(rollout: RolloutKey, signal: AbortSignal): Promise<RolloutSnapshot | undefined>;
  putSnapshot(rollout: RolloutKey, snapshot: RolloutSnapshot, signal: AbortSignal): Promise<void>;
  /** For the next turn. Wakes nobody: the caller does. */
  post(rollout: RolloutKey, happenings: readonly Happening[], signal: AbortSignal): Promise<void>;
  /** Takes out what was posted, in the order in which it came. */
  take(rollout: RolloutKey, limit: number, signal: AbortSignal): Promise<readonly Happening[]>;
  /** It is finished: what was kept to save time, and what came too late, can go. Opening and turns stay. */
  end(rollout: RolloutKey, signal: AbortSignal): Promise<void>;
}

export interface RolloutKey {
  readonly deployment: DeploymentId;
  readonly revision: number;
}

/** The one snapshot of the world that a plan was made on. */
export interface RolloutOpening {
  readonly start: RolloutStart;
  /** Names of targets, for people. */
  readonly names: Readonly<Record<string, string>>;
}

/** What was heard together at one time. The first turn is number 1. */
export interface RolloutTurn {
  readonly turn: number;
  readonly time: number;
  readonly happenings: readonly Happening[];
  /** Who asked for it. One who asks again has not heard the answer, and gets the same. */
  readonly step?: string;
  /** Whether anything was decided to be sent, as the batch of this number. */
  readonly hasBatch?: boolean;
}

export interface RolloutSnapshot {
  readonly turn: number;
  readonly state: RolloutState;
}

/** What was delivered, by hash, and which revision of which target had what. Secrets are sealed below this. */
export interface ContentStore {
  /** Those that are not there yet are kept. */
  keep(payloads: readonly Payload[], signal: AbortSignal): Promise<void>;
  /** As they are kept; `secrets` are opened only when asked for, for delivery alone. */
  find(
    hashes: readonly string[],
    options: { readonly withSecrets: boolean },
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Payload>>;
  /** From this revision on the targets have this; `undefined` that they have nothing. */
  assign(rollout: RolloutKey, contents: ReadonlyMap<TargetId, string | undefined>, signal: AbortSignal): Promise<void>;
  /** What each target had with a revision; who had nothing is not there. */
  at(rollout: RolloutKey, signal: AbortSignal): Promise<ReadonlyMap<TargetId, string>>;
  /** The secrets in all that these targets were given of these deployments, as far as revisions are kept. */
  referencesOn(
    given: { readonly deployments: readonly DeploymentId[]; readonly targets: readonly TargetId[] },
    signal: AbortSignal,
  ): Promise<ReadonlyMap<DeploymentId, readonly string[]>>;
  /** The secrets of a spec, which is kept in its open form. */
  keepSecrets(secrets: Readonly<Record<string, Json>>, signal: AbortSignal): Promise<void>;
  openSecrets(references: readonly string[], signal: AbortSignal): Promise<Readonly<Record<string, Json>>>;
}

export interface ApprovalStore {
  insert(approval: Approval, signal: AbortSignal): Promise<void>;
  get(uid: string, signal: AbortSignal): Promise<Approval | undefined>;
  replace(next: Approval, signal: AbortSignal): Promise<void>;
  openOf(rollout: RolloutKey, signal: AbortSignal): Promise<readonly Approval[]>;
}

/**
 * Who wrote what a deployment says since a second person last approved it; as long as none ever did, since it last succeeded. By
 * the generation of their last change: a plan may be made without any of them, when it had nowhere to go.
 */
export interface AuthorStore {
  add(deployment: DeploymentId, authors: readonly string[], generation: number, signal: AbortSignal): Promise<void>;
  of(deployment: DeploymentId, signal: AbortSignal): Promise<readonly string[]>;
  /** A second person approved all up to this generation. */
  approved(deployment: DeploymentId, generation: number, signal: AbortSignal): Promise<void>;
  /** Nothing, once there was an approval: from then on only another one counts. */
  succeeded(deployment: DeploymentId, generation: number, signal: AbortSignal): Promise<void>;
}

/** Rollouts that wait for the health of another deployment. */
export interface WatchStore {
  put(watch: Watch, signal: AbortSignal): Promise<void>;
  drop(rollout: RolloutKey, gate: string, signal: AbortSignal): Promise<void>;
  dropAll(rollout: RolloutKey, signal: AbortSignal): Promise<void>;
  on(watched: Watch['watched'], signal: AbortSignal): Promise<readonly Watch[]>;
}

/** Workspace and name of a deployment that is waited for, and is not there. */
export type AwaitedName = Brand<string, 'AwaitedName'>;

export interface Watch {
  readonly watcher: DeploymentId;
  readonly revision: number;
  readonly gate: string;
  /** Its uid; its name as long as there is none. */
  readonly watched: DeploymentId | AwaitedName;
}

export interface ScoreStore {
  put(target: TargetId, name: string, score: { value: number; time: number }, signal: AbortSignal): Promise<void>;
  of(targets: readonly TargetId[], names: readonly string[], signal: AbortSignal): Promise<ReportedScores>;
}

/** The groups that the platform itself was delivered. */
export interface GroupStore {
  find(group: DeploymentId, signal: AbortSignal): Promise<GroupRecord | undefined>;
  all(signal: AbortSignal): Promise<readonly GroupRecord[]>;
  /** Inserts or replaces. Wakes nobody: the caller does. */
  put(record: GroupRecord, signal: AbortSignal): Promise<void>;
  drop(group: DeploymentId, signal: AbortSignal): Promise<void>;

  /** There is something for its controller, which is begun when there is none under way. Where no group is: nothing. */
  wake(group: DeploymentId, signal: AbortSignal): Promise<void>;
  /** The controller has seen all that was there for it up to this unit of work. */
  hear(group: DeploymentId, signal: AbortSignal): Promise<void>;
  /** Whether the run is over: unless something came that it has not heard. */
  rest(group: DeploymentId, run: number, signal: AbortSignal): Promise<boolean>;

  /** The deployment of a child under another name, with all that is kept of it. `VERSION_STALE` as with any other change. */
  renameChild(next: Deployment, signal: AbortSignal): Promise<void>;
}

export interface GroupRecord {
  readonly group: DeploymentId;
  /** Of the last order that was taken. */
  readonly revision: number;
  /** Of what is there; empty once nothing is. */
  readonly hash: string;
  /** In its open form, with the names that the deployments have; `undefined` once it is to go. */
  readonly spec: DeploymentGroupSpec | undefined;
  readonly state: GroupState;
}

/** All of a target that orchestration may know. */
export interface PoolTarget extends PlacementView, GenerateTarget {
  readonly isOnline: boolean;
}

/** The targets, as the transaction at hand sees them. */
export interface TargetPool {
  /** Every target of the workspace and below it, in the order of names. Never the platform itself. */
  below(workspacePath: string, signal: AbortSignal): Promise<readonly PoolTarget[]>;
  /** Those of them that are there, wherever they are. */
  find(ids: readonly TargetId[], signal: AbortSignal): Promise<readonly PoolTarget[]>;
  /** The platform itself, for `local`. */
  readonly local: PoolTarget;
}

export interface WorkspaceDirectory {
  /** Its path, which ends with a slash. */
  find(name: ResourceName, signal: AbortSignal): Promise<{ readonly path: string } | undefined>;
}

/** Who may approve in a workspace, as grants are now. */
export interface Approvers {
  /** False only when it is sure: a group that may approve can have anyone in it. */
  hasPersonBesides(workspace: ResourceName, requesters: readonly string[]): boolean;
}

/** The gates that policies demand of every plan, whatever the deployment's own rollout says. */
export interface RequiredGates {
  /** Those of the deployment's workspace, of all above it, and of the workspaces below it that these targets are in. */
  of(
    plan: { readonly workspacePath: string; readonly targets: readonly TargetId[] },
    signal: AbortSignal,
  ): Promise<readonly GateSpec[]>;
}

/** Takes down what happened, for everybody who wants to know. Kept if the unit is. */
export interface EventSink {
  append(events: readonly OrchestrationEvent[], now: number, signal: AbortSignal): Promise<void>;
}

/** The only way to a target. */
export interface TargetRouter {
  /** Resolves once the agent has it safely, or will not have it. A throw is a try that may be repeated. */
  dispatch(order: DeliveryOrder, signal: AbortSignal): Promise<Acknowledgement>;
  /** Nobody waits for it any longer. It may come to its end all the same. */
  cancel(order: Pick<DeliveryOrder, 'target' | 'deployment' | 'revision'>, signal: AbortSignal): Promise<void>;
  /** What the agent says would change; `undefined` when it cannot tell. */
  preview(order: DeliveryOrder, signal: AbortSignal): Promise<PreviewAnswer | undefined>;
}

/** What the caller wants to be true of a deployment before it is changed; throws when it is not. */
export interface Precondition {
  check(current: Deployment): void;
}
