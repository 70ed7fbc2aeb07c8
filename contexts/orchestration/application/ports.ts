import type { Brand, EventSink, Json, ResourceName } from '#kit/std';
import type { Acknowledgement, DeliveryOrder, PreviewAnswer, TargetObservation } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { Approval } from '../domain/deployment/approval.ts';
import type { Deployment, DeploymentId } from '../domain/deployment/deployment.ts';
import type { OrchestrationEvent } from '../domain/deployment/deployment-event.ts';
import type { DeploymentTarget } from '../domain/deployment/deployment-target.ts';
import type { Revision } from '../domain/deployment/revision.ts';
import type { RecordedTrigger, Trigger } from '../domain/deployment/trigger.ts';
import type { GroupState } from '../domain/group/group-state.ts';
import type { GenerateTarget, RemovedContext } from '../domain/manifest/generate-context.ts';
import type { DeploymentGroupSpec } from '../domain/manifest/group/deployment-group.ts';
import type { Payload } from '../domain/manifest/payload.ts';
import type { Reach, ReportedScores } from '../domain/placement/placement-strategy.ts';
import type { GateSpec } from '../domain/rollout/gates/gate.ts';
import type { RolloutStart } from '../domain/rollout/machine/open-rollout.ts';
import type { RolloutEvent } from '../domain/rollout/machine/rollout-event.ts';
import type { RolloutState } from '../domain/rollout/machine/rollout-state.ts';
import type { PlacementView } from '../domain/target-view.ts';

/** Atomic, and everything read in it still holds when it commits. */
export interface UnitOfWork {
  readonly deployments: DeploymentStore;
  readonly triggers: TriggerStore;
  readonly targets: DeploymentTargetStore;
  readonly revisions: RevisionStore;
  readonly rollouts: RolloutStore;
  readonly contents: ContentStore;
  readonly generated: GeneratedStore;
  readonly removals: RemovalStore;
  readonly approvals: ApprovalStore;
  readonly authors: AuthorStore;
  readonly watches: WatchStore;
  readonly scores: ScoreStore;
  readonly groups: GroupStore;
  readonly pool: TargetPool;
  readonly workspaces: WorkspaceDirectory;
  readonly requiredGates: RequiredGates;
  readonly events: EventSink<OrchestrationEvent>;
}

/** Opens units of work outside of requests: for workflows, reports and maintenance. A body may be run again. */
export interface Units {
  write<T>(body: (unit: UnitOfWork) => Promise<T>, signal: AbortSignal): Promise<T>;
  /**
   * The same for work on these deployments, serialized per deployment within this process: concurrent units would conflict
   * and be run again. It says nothing about order.
   */
  writeOf<T>(
    deployments: readonly DeploymentId[],
    body: (unit: UnitOfWork) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
  /** Read-only; never waits for a writer. */
  read<T>(body: (unit: UnitOfWork) => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** The way of everything that the platform learns about targets. */
export interface Observer {
  /** Resolves once they and all their effects are on disk. The same observation may come twice. */
  observe(observations: readonly TargetObservation[], signal: AbortSignal): Promise<void>;
}

export interface DeploymentStore {
  find(workspace: ResourceName, name: ResourceName, signal: AbortSignal): Promise<Deployment | undefined>;
  get(uid: DeploymentId, signal: AbortSignal): Promise<Deployment | undefined>;
  /** The existing ones among them, in no particular order. */
  getAll(uids: readonly DeploymentId[], signal: AbortSignal): Promise<readonly Deployment[]>;
  /** The caller has checked that the name is free and the workspace exists. */
  insert(deployment: Deployment, signal: AbortSignal): Promise<void>;
  /** `VERSION_STALE` unless the stored version is the one before this. Name, uid, workspace and owner stay. */
  replace(next: Deployment, signal: AbortSignal): Promise<void>;
  /** Also removes its triggers, targets, revisions, rollouts, approvals and watches. */
  remove(uid: DeploymentId, signal: AbortSignal): Promise<void>;
  childrenOf(group: DeploymentId, signal: AbortSignal): Promise<readonly Deployment[]>;
  /** All deployments of these workspaces: those that a change of a target below them may concern. */
  inWorkspaces(paths: readonly string[], signal: AbortSignal): Promise<readonly Deployment[]>;

  /** Those whose pipeline waits because no rollout can be planned. */
  blocked(signal: AbortSignal): Promise<readonly DeploymentId[]>;

  /** Records that there is work for the pipeline, which is started if no run is under way. */
  wake(uid: DeploymentId, signal: AbortSignal): Promise<void>;
  /** The pipeline has taken all its input up to this unit of work. */
  hear(uid: DeploymentId, signal: AbortSignal): Promise<void>;
  /** False for a run that is over: its answer was lost, and another run may be under way. */
  isUnderWay(uid: DeploymentId, run: number, signal: AbortSignal): Promise<boolean>;
  /** Ends the run and returns true, unless there is new input: then false. */
  rest(uid: DeploymentId, run: number, signal: AbortSignal): Promise<boolean>;
}

export interface TriggerStore {
  /** The caller wakes the pipeline. */
  add(deployment: DeploymentId, triggers: readonly Trigger[], now: number, signal: AbortSignal): Promise<void>;
  /** In the order of arrival. */
  of(deployment: DeploymentId, signal: AbortSignal): Promise<readonly RecordedTrigger[]>;
  drop(ids: readonly string[], signal: AbortSignal): Promise<void>;
}

/** The rows per deployment and target. All operations are bulk operations, since fleets are large. */
export interface DeploymentTargetStore {
  of(deployment: DeploymentId, signal: AbortSignal): Promise<readonly DeploymentTarget[]>;
  some(
    deployment: DeploymentId,
    targets: readonly TargetId[],
    signal: AbortSignal,
  ): Promise<readonly DeploymentTarget[]>;
  /** The rows of all deployments on the target. */
  onTarget(target: TargetId, signal: AbortSignal): Promise<readonly DeploymentTarget[]>;
  onTargets(targets: readonly TargetId[], signal: AbortSignal): Promise<readonly DeploymentTarget[]>;
  /** Ordered by name. Fewer than the limit means that there are no more. */
  page(range: TargetPage, signal: AbortSignal): Promise<readonly DeploymentTarget[]>;
  inBatch(deployment: DeploymentId, batch: number, signal: AbortSignal): Promise<readonly DeploymentTarget[]>;
  /** Inserts or replaces. */
  put(rows: readonly DeploymentTarget[], signal: AbortSignal): Promise<void>;
  /** Marks the orders of these targets that are in the batch and not accepted yet as sent; returns their number. */
  markSent(batch: SentBatch, targets: readonly TargetId[], signal: AbortSignal): Promise<number>;
  drop(deployment: DeploymentId, targets: readonly TargetId[], signal: AbortSignal): Promise<void>;
  /** How many deployments each of the targets carries, not counting this one. */
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
  /** Stores turns, end time, outcome and message. */
  replace(revision: Revision, signal: AbortSignal): Promise<void>;
}

export interface RevisionPage {
  readonly deployment: DeploymentId;
  readonly before: number | undefined;
  readonly limit: number;
}

/** A rollout is event-sourced: its state is replayed from its turns, with snapshots to save time. */
export interface RolloutStore {
  begin(rollout: RolloutKey, opening: RolloutOpening, signal: AbortSignal): Promise<void>;
  opening(rollout: RolloutKey, signal: AbortSignal): Promise<RolloutOpening | undefined>;
  appendTurn(rollout: RolloutKey, turn: RolloutTurn, signal: AbortSignal): Promise<void>;
  /** The turns after this one, in order. */
  turnsAfter(rollout: RolloutKey, turn: number, signal: AbortSignal): Promise<readonly RolloutTurn[]>;
  snapshot(rollout: RolloutKey, signal: AbortSignal): Promise<RolloutSnapshot | undefined>;
  putSnapshot(rollout: RolloutKey, snapshot: RolloutSnapshot, signal: AbortSignal): Promise<void>;
  /** Queues events for the next turn. The caller wakes the pipeline. */
  post(rollout: RolloutKey, rolloutEvents: readonly RolloutEvent[], signal: AbortSignal): Promise<void>;
  /** Removes and returns posted events, in the order of arrival. */
  take(rollout: RolloutKey, limit: number, signal: AbortSignal): Promise<readonly RolloutEvent[]>;
  /** The rollout is finished: snapshots and late events can be deleted. Opening and turns stay. */
  end(rollout: RolloutKey, signal: AbortSignal): Promise<void>;
}

export interface RolloutKey {
  readonly deployment: DeploymentId;
  readonly revision: number;
}

/** The snapshot of the world that the plan was made from. */
export interface RolloutOpening {
  readonly start: RolloutStart;
  /** Names of targets, for people. */
  readonly names: Readonly<Record<string, string>>;
  /** Targets that the plan left as they are: their removal is held, or they wait for room. Absent for none. */
  readonly held?: readonly TargetId[];
  readonly waiting?: readonly TargetId[];
}

/** The events taken together at one time. The first turn is number 1. */
export interface RolloutTurn {
  readonly turn: number;
  readonly time: number;
  readonly rolloutEvents: readonly RolloutEvent[];
  /** Identifies the request. A repeated request, after the answer got lost, gets the same answer. */
  readonly step?: string;
  /** Whether orders were decided, as the batch of this number. */
  readonly hasBatch?: boolean;
}

export interface RolloutSnapshot {
  readonly turn: number;
  readonly state: RolloutState;
}

/**
 * Delivered contents by hash, and which target had which content with which revision. Implementations seal the secrets.
 */
export interface ContentStore {
  /** Stores those that are not stored yet. */
  keep(payloads: readonly Payload[], signal: AbortSignal): Promise<void>;
  /** As stored; `secrets` are opened only on request, and only for delivery. */
  find(
    hashes: readonly string[],
    options: { readonly withSecrets: boolean },
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Payload>>;
  /** From this revision on the targets have these contents; `undefined` for none. */
  assign(rollout: RolloutKey, contents: ReadonlyMap<TargetId, string | undefined>, signal: AbortSignal): Promise<void>;
  /** The content of each target with a revision; targets without content are absent. */
  at(rollout: RolloutKey, signal: AbortSignal): Promise<ReadonlyMap<TargetId, string>>;
  /** The references of all secrets that these targets received from these deployments, as far as revisions are stored. */
  referencesOn(
    given: { readonly deployments: readonly DeploymentId[]; readonly targets: readonly TargetId[] },
    signal: AbortSignal,
  ): Promise<ReadonlyMap<DeploymentId, readonly string[]>>;
  /** The secrets of a spec, which is stored in its open form. */
  keepSecrets(secrets: Readonly<Record<string, Json>>, signal: AbortSignal): Promise<void>;
  openSecrets(references: readonly string[], signal: AbortSignal): Promise<Readonly<Record<string, Json>>>;
}

/**
 * Which content was generated from which inputs, for the plan and the rollout under way: so that both, and a process that
 * continues after a crash, generate it once. The contents themselves are in the `ContentStore`.
 */
export interface GeneratedStore {
  /** Of these targets; those for which nothing was generated are absent. */
  of(
    deployment: DeploymentId,
    targets: readonly GeneratedFor[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<GeneratedFor, GeneratedContent>>;
  /** Inserts or replaces. The contents are kept by the caller. */
  put(
    deployment: DeploymentId,
    contents: ReadonlyMap<GeneratedFor, GeneratedContent>,
    signal: AbortSignal,
  ): Promise<void>;
  /** The next content of these targets is generated again, whatever its inputs. Each invalidation has its own id. */
  invalidate(
    deployment: DeploymentId,
    targets: readonly GeneratedFor[],
    invalidation: string,
    signal: AbortSignal,
  ): Promise<void>;
  /** The plan or the rollout is over. */
  drop(deployment: DeploymentId, signal: AbortSignal): Promise<void>;
}

/** A call of `onRemoved` that a strategy is owed. */
export interface OwedRemoval {
  /** The type of the strategy. */
  readonly strategy: string;
  readonly context: RemovedContext;
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly failure: string | undefined;
}

/** At most one for each deployment and target: a later removal replaces an earlier one. */
export interface RemovalStore {
  add(owed: readonly Pick<OwedRemoval, 'strategy' | 'context'>[], now: number, signal: AbortSignal): Promise<void>;
  /** The oldest of the deployment, and how many there are. */
  of(
    deployment: DeploymentId,
    signal: AbortSignal,
  ): Promise<{ readonly first: OwedRemoval | undefined; readonly count: number }>;
  isDue(now: number, signal: AbortSignal): Promise<boolean>;
  /**
   * Those that are due, oldest first, and not before `until` for any other caller. While the deployment has the target again,
   * none is due. Once content was generated for it, the call is dropped: the next removal is owed a call of its own.
   */
  claim(
    due: { readonly now: number; readonly until: number; readonly limit: number },
    signal: AbortSignal,
  ): Promise<readonly OwedRemoval[]>;
  /** Unless a later removal has replaced it. */
  drop(context: RemovedContext, signal: AbortSignal): Promise<void>;
  /** The next attempt is at that time, unless a later removal has replaced it. */
  failed(
    context: RemovedContext,
    failed: { readonly message: string; readonly nextTime: number },
    signal: AbortSignal,
  ): Promise<void>;
  /** All of these strategies are due at once. */
  hurry(strategies: readonly string[], now: number, signal: AbortSignal): Promise<void>;
}

/** A target, or `FOR_ALL` if the content is the same for all. */
export type GeneratedFor = TargetId | typeof FOR_ALL;
export const FOR_ALL = '';

export interface GeneratedContent {
  /** Hash of everything that the content was generated from. */
  readonly inputs: string;
  /** The last announcement that the output would differ, taken into account; empty for none. */
  readonly invalidation: string;
  /** Hash of the content; `undefined` if it was invalidated since. */
  readonly hash: string | undefined;
}

export interface ApprovalStore {
  insert(approval: Approval, signal: AbortSignal): Promise<void>;
  get(uid: string, signal: AbortSignal): Promise<Approval | undefined>;
  replace(next: Approval, signal: AbortSignal): Promise<void>;
  openOf(rollout: RolloutKey, signal: AbortSignal): Promise<readonly Approval[]>;
}

/**
 * The authors of a deployment since a second person last approved it; before the first such approval, since it last
 * succeeded. Recorded with the generation of their last change: a plan may be made without any of them if it had no
 * targets.
 */
export interface AuthorStore {
  add(deployment: DeploymentId, authors: readonly string[], generation: number, signal: AbortSignal): Promise<void>;
  of(deployment: DeploymentId, signal: AbortSignal): Promise<readonly string[]>;
  /** A second person approved everything up to this generation. */
  approved(deployment: DeploymentId, generation: number, signal: AbortSignal): Promise<void>;
  /** Has no effect once there was an approval: from then on only another approval counts. */
  succeeded(deployment: DeploymentId, generation: number, signal: AbortSignal): Promise<void>;
}

/** Rollouts that wait for the health of another deployment. */
export interface WatchStore {
  put(watch: Watch, signal: AbortSignal): Promise<void>;
  drop(rollout: RolloutKey, gate: string, signal: AbortSignal): Promise<void>;
  dropAll(rollout: RolloutKey, signal: AbortSignal): Promise<void>;
  on(watched: Watch['watched'], signal: AbortSignal): Promise<readonly Watch[]>;
}

/** Workspace and name of an awaited deployment that does not exist. */
export type AwaitedName = Brand<string, 'AwaitedName'>;

export interface Watch {
  readonly watcher: DeploymentId;
  readonly revision: number;
  readonly gate: string;
  /** The uid of the deployment; its name as long as there is none. */
  readonly watched: DeploymentId | AwaitedName;
}

export interface ScoreStore {
  put(target: TargetId, name: string, score: { value: number; time: number }, signal: AbortSignal): Promise<void>;
  of(targets: readonly TargetId[], names: readonly string[], signal: AbortSignal): Promise<ReportedScores>;
}

/** The groups delivered to the platform itself. */
export interface GroupStore {
  find(group: DeploymentId, signal: AbortSignal): Promise<GroupRecord | undefined>;
  all(signal: AbortSignal): Promise<readonly GroupRecord[]>;
  /** Inserts or replaces. The caller wakes the controller. */
  put(record: GroupRecord, signal: AbortSignal): Promise<void>;
  drop(group: DeploymentId, signal: AbortSignal): Promise<void>;

  /**
   * Records that there is work for the controller, which is started if no run is under way. No effect if there is no such
   * group.
   */
  wake(group: DeploymentId, signal: AbortSignal): Promise<void>;
  /** The controller has taken all its input up to this unit of work. */
  hear(group: DeploymentId, signal: AbortSignal): Promise<void>;
  /** Ends the run and returns true, unless there is new input: then false. */
  rest(group: DeploymentId, run: number, signal: AbortSignal): Promise<boolean>;

  /** Renames a child's deployment, with everything stored for it. `VERSION_STALE` as with any other change. */
  renameChild(next: Deployment, signal: AbortSignal): Promise<void>;
}

export interface GroupRecord {
  readonly group: DeploymentId;
  /** Revision of the last order accepted. */
  readonly revision: number;
  /** Hash of the current content; empty once there is none. */
  readonly hash: string;
  /** In its open form, with the full names of the deployments; `undefined` once the group is being deleted. */
  readonly spec: DeploymentGroupSpec | undefined;
  readonly state: GroupState;
}

/** The fields of a target that orchestration may read. */
export interface PoolTarget extends PlacementView, GenerateTarget {
  readonly isOnline: boolean;
}

/** The targets, as the current transaction sees them. */
export interface TargetPool {
  /**
   * The targets of the workspace and below it that are within reach, and perhaps others of them, ordered by name. Never the
   * platform itself.
   */
  below(workspacePath: string, reach: Reach, signal: AbortSignal): Promise<readonly PoolTarget[]>;
  /** The existing ones among them, in any workspace. */
  find(ids: readonly TargetId[], signal: AbortSignal): Promise<readonly PoolTarget[]>;
  /** The platform itself, for `local`. */
  readonly local: PoolTarget;
}

export interface WorkspaceDirectory {
  /** The path of the workspace, which ends with a slash. */
  find(name: ResourceName, signal: AbortSignal): Promise<{ readonly path: string } | undefined>;
}

/** The principals that may approve in a workspace, by current grants. */
export interface Approvers {
  /** False only if it is certain: a group with the permission may contain any user. */
  hasPersonBesides(workspace: ResourceName, requesters: readonly string[], signal: AbortSignal): Promise<boolean>;
}

/** The gates that policies require of every plan, whatever the deployment's own rollout says. */
export interface RequiredGates {
  /**
   * The gates of the deployment's workspace, of all above it, and of the workspaces below it that contain these targets.
   */
  of(
    plan: { readonly workspacePath: string; readonly targets: readonly TargetId[] },
    signal: AbortSignal,
  ): Promise<readonly GateSpec[]>;
}

/** The only way to reach a target. */
export interface TargetRouter {
  /** Resolves once the agent has persisted the order, or refused it. If it throws, the attempt may be repeated. */
  dispatch(order: DeliveryOrder, signal: AbortSignal): Promise<Acknowledgement>;
  /** Best effort: the order is no longer needed, but may still be carried out. */
  cancel(order: Pick<DeliveryOrder, 'target' | 'deployment' | 'revision'>, signal: AbortSignal): Promise<void>;
  /** The changes that the agent predicts; `undefined` if it cannot tell. */
  preview(order: DeliveryOrder, signal: AbortSignal): Promise<PreviewAnswer | undefined>;
}
