import { type AccessDecisions, AccessIndex } from '#contexts/access';
import {
  accessRoutes,
  authorizerOf,
  type GrantDropper,
  grantDropper,
  IndexedDecisions,
  visibilityOf,
} from '#contexts/access/adapters';
import type { HeadKey } from '#contexts/governance';
import type { GaugeSource, HeadDestination } from '#contexts/governance/adapters';
import { auditRoutes, createAuditTrail, UsageRecorder, usageRoutes } from '#contexts/governance/adapters';
import { serviceAccountsIn } from '#contexts/identity/adapters';
import type { Approvers } from '#contexts/orchestration';
import type { AddonTypes } from '#contexts/targets';
import { type TargetRoutesDeps, targetCounts, targetRoutes, targetsInWorkspaces } from '#contexts/targets/adapters';
import type { ContentsReader, MoveObserver } from '#contexts/workspaces';
import { type WorkspaceRoutesDeps, workspacePlaces, workspaceRoutes } from '#contexts/workspaces/adapters';
import type { AuditSink, Authorizer, Principal, Route } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import { sleep } from '#kit/std';
import type { Storage, Transaction } from '#kit/storage';
import type { EventLog, StoredEvent } from '#kit/storage/outbox';
import type { Logger } from '#kit/telemetry';
import { auditScopes, bornAt, pathOf } from './audit-scopes.ts';
import { type CatchUp, catchUpWith } from './catch-up.ts';
import { mayReadEvent, type Permissions } from './event-visibility.ts';
import { followAccess } from './follow-access.ts';
import { knownBeforeAnswered } from './known-before-answered.ts';
import { NOT_FOUND, treeResources } from './tree-resources.ts';

export interface OpenAccessDeps {
  readonly storage: Storage;
  readonly events: EventLog;
  readonly log: Logger;
  /** Whether an administrator could sign in without any grant. */
  readonly adminRemains: () => boolean;
  /** Decides who may do what; by default from the index of this process. */
  readonly decisionsFrom?: (index: AccessIndex) => AccessDecisions;
  /** Counts for the usage, besides that of targets. */
  readonly gauges?: readonly GaugeSource[];
  /** Other contents of workspaces that block their deletion. */
  readonly contents?: readonly ((tx: Transaction) => ContentsReader)[];
  /** Called when a target is deleted, to delete the data about it. */
  readonly targetDeleteObservers?: NonNullable<TargetRoutesDeps['deleteObservers']>;
  readonly targetMergeObservers?: NonNullable<TargetRoutesDeps['mergeObservers']>;
  /** Called when a workspace is deleted, to delete the data about it. */
  readonly workspaceDeleteObservers?: NonNullable<WorkspaceRoutesDeps['deleteObservers']>;
  /** Authenticates the heads of the audit log, which are sent to `auditHeads`. */
  readonly auditKey?: HeadKey;
  readonly auditHeads?: HeadDestination;
  /** Target types that are not built in. */
  readonly addonTypes?: AddonTypes;
  /** Called on a move after the targets have followed. */
  readonly moveObservers?: readonly ((tx: Transaction) => MoveObserver)[];
}

/** The workspace tree and authorization: everything that needs the tree. */
export interface Access {
  readonly routes: readonly Route[];
  readonly authorizer: Authorizer;
  readonly audit: AuditSink;
  readonly runnables: readonly Runnable[];
  readonly index: AccessIndex;
  readonly decisions: AccessDecisions;
  readonly catchUp: CatchUp;
  /** Counts metered usage. */
  readonly meter: UsageRecorder['meter'];
  readonly grants: GrantDropper;
  readonly visibility: ReturnType<typeof visibilityOf>;
  readonly approvers: Approvers;
  readonly mayReadEvent: (principal: Principal, event: StoredEvent, signal: AbortSignal) => Promise<boolean>;
}

const NO_TYPES: AddonTypes = { has: async () => false };

/** The index is loaded before the first request. */
export async function openAccess(deps: OpenAccessDeps, signal: AbortSignal): Promise<Access> {
  const { storage, events, log, adminRemains, contents = [], moveObservers = [], addonTypes = NO_TYPES } = deps;
  const { targetDeleteObservers = [], targetMergeObservers = [], workspaceDeleteObservers = [], gauges = [] } = deps;
  const index = new AccessIndex();
  const follower = await followAccess({ storage, events, index, sleep, log }, signal);
  const catchUp = catchUpWith({ storage, index, log });
  const decisions = deps.decisionsFrom?.(index) ?? new IndexedDecisions(index);
  const visibility = visibilityOf(decisions);
  const permissions: Permissions = {
    allows: (principal, question, signal) => decisions.allows(principal, question, signal),
    uidOf: (name, kind = 'workspace') => index.lineageOf({ kind, name })[0]?.uid,
  };
  const paths = { pathOf: (workspace: string) => pathOf(index, { kind: 'workspace', name: workspace }) };
  const births = { bornAt: (resource: Parameters<typeof bornAt>[1]) => bornAt(index, resource) };
  const keyed = deps.auditKey === undefined ? {} : { key: deps.auditKey };
  const audit = createAuditTrail({
    storage,
    scopes: auditScopes(index),
    log,
    ...keyed,
    ...(deps.auditHeads === undefined ? {} : { ship: deps.auditHeads }),
  });
  const targets = { meter: 'targets', read: (stop: AbortSignal) => storage.read(targetCounts, stop) } as const;
  const usage = new UsageRecorder({ storage, paths, births, log, gauges: [targets, ...gauges] });
  const admins = { remain: async () => adminRemains() };
  const grants = grantDropper({ index, admins, resourcesIn: treeResources });
  const tree = [
    ...workspaceRoutes({
      storage,
      visibility,
      contents: [targetsInWorkspaces, accountsIn, ...contents],
      moveObservers: [targetsInWorkspaces, ...moveObservers],
      deleteObservers: [
        (tx) => ({
          deleted: async ({ name, uid, now }, stop) =>
            void (await grants.dropGrantsOf(tx, { uid, workspace: name, now }, stop)),
        }),
        ...workspaceDeleteObservers,
      ],
    }),
    ...targetRoutes({
      storage,
      visibility,
      workspaces: workspacePlaces,
      addonTypes,
      deleteObservers: [
        (tx) => ({ deleted: async (target, stop) => void (await grants.dropGrantsOf(tx, target, stop)) }),
        ...targetDeleteObservers,
      ],
      mergeObservers: targetMergeObservers,
    }),
  ];
  return {
    index,
    decisions,
    catchUp,
    meter: usage.meter,
    routes: [
      ...knownBeforeAnswered(tree, catchUp),
      ...accessRoutes({ storage, index, decisions, notFound: NOT_FOUND, admins, resourcesIn: treeResources }),
      ...auditRoutes({ storage, visibility, paths, births, ...keyed }),
      ...usageRoutes({ storage, visibility, paths, births }),
    ],
    authorizer: authorizerOf(decisions, NOT_FOUND),
    grants,
    visibility,
    approvers: approversOf(decisions),
    audit: audit.sink,
    runnables: [follower, ...audit.runnables, usage],
    mayReadEvent: (principal, event, signal) => mayReadEvent(permissions, { principal, event }, signal),
  };
}

/** If there are more approvers than this, one of the rest is assumed to be eligible. */
const APPROVERS_LOOKED_AT = 1_000;

export function approversOf(decisions: Pick<AccessDecisions, 'lookupSubjects'>): Approvers {
  return {
    hasPersonBesides: async (name, requesters, signal) => {
      const question = { permission: 'approvals.answer', resource: { kind: 'workspace', name } } as const;
      const range = { after: undefined, limit: APPROVERS_LOOKED_AT };
      const found = await decisions.lookupSubjects({ ...question, ...range }, signal);
      if (found.length === APPROVERS_LOOKED_AT) return true;
      return found.some(({ kind, id }) => kind === 'group' || (kind === 'user' && !requesters.includes(`user:${id}`)));
    },
  };
}

function accountsIn(tx: Transaction): ContentsReader {
  return {
    contentsOf: async ({ name }, limit) => ({ kind: 'service account', ...(await serviceAccountsIn(tx, name, limit)) }),
  };
}
