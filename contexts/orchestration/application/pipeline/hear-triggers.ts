import { canonicalJson } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import { decideMembership, factsOf, planOf } from '../../domain/deployment/decide-plan.ts';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { requestedChange } from '../../domain/deployment/requested-change.ts';
import type { Revision } from '../../domain/deployment/revision.ts';
import type { RecordedTrigger } from '../../domain/deployment/trigger.ts';
import { invalidationOf } from '../../domain/deployment/trigger.ts';
import { turnTriggers } from '../../domain/deployment/turn-triggers.ts';
import { parseManifest } from '../../domain/manifest/manifest-strategy.ts';
import { untouchedBy } from '../../domain/rollout/machine/hear-replan.ts';
import type { Member } from '../../domain/rollout/machine/member.ts';
import { entriesOf } from '../../domain/rollout/machine/number-map.ts';
import type { RolloutEvent } from '../../domain/rollout/machine/rollout-event.ts';
import type { RolloutState } from '../../domain/rollout/machine/rollout-state.ts';
import { type Plan, touchedBy, withRequiredGates } from '../../domain/rollout/plan.ts';
import { FOR_ALL, type UnitOfWork } from '../ports.ts';
import type { Strategies } from './pipeline-deps.ts';
import { loadPlanInputs, type PlanInputs } from './plan-inputs.ts';

export interface TriggerScene {
  readonly deployment: Deployment;
  readonly revision: Revision;
  readonly state: RolloutState;
  readonly triggers: readonly RecordedTrigger[];
  readonly strategies: Strategies;
  /** The last trigger that was evaluated for membership. */
  readonly resolvedUpTo: string;
  readonly now: number;
}

/** The effect of triggers on the rollout under way. */
export interface HeardTriggers {
  readonly rolloutEvents: readonly RolloutEvent[];
  /** Rows that are new or changed. */
  readonly rows: readonly DeploymentTarget[];
  /** The previous state of those that existed before, and of those that are dropped. */
  readonly before: readonly DeploymentTarget[];
  /** Targets that no longer exist: their rows are deleted. */
  readonly dropped?: readonly TargetId[];
  /** Triggers that are settled. */
  readonly done: readonly string[];
  readonly resolvedUpTo?: string;
  /** Why no plan could be made. */
  readonly trouble?: string;
  /** Some triggers have to wait for the next turn, which can follow at once. */
  readonly hasMore?: true;
}

export const NOTHING_ASKED: HeardTriggers = { rolloutEvents: [], rows: [], before: [], done: [] };

export async function hearTriggers(unit: UnitOfWork, scene: TriggerScene, signal: AbortSignal): Promise<HeardTriggers> {
  const { triggers, state } = scene;
  const asked = turnTriggers(triggers);
  if (asked.isAborted) return { ...NOTHING_ASKED, rolloutEvents: [abortBy(asked.abortedBy)], done: asked.done };
  const isQueue = state.budget.onCollision === 'queue';
  if (asked.isUrgent && isQueue) return { ...NOTHING_ASKED, rolloutEvents: [{ kind: 'abort' }], done: asked.done };
  const isNews = asked.isSuperseded && state.queued === undefined;
  const superseded: readonly RolloutEvent[] = isNews ? [{ kind: 'superseded', by: state.revision + 1 }] : [];
  if (isNews && !isQueue) return { ...NOTHING_ASKED, rolloutEvents: superseded, done: asked.done };
  await invalidate(unit, scene, signal);
  const newest = asked.placed.at(-1) ?? '';
  const joined = newest > scene.resolvedUpTo ? await hearPlaces(unit, scene, signal) : NOTHING_ASKED;
  const repeated = asked.again.size > 0 ? await hearAgain(unit, scene, asked.again, signal) : NOTHING_ASKED;
  // A plan is for the members that the rollout has: if they change with this turn, it is made in the next.
  const isEarly = asked.replans && joined.rolloutEvents.length + repeated.rolloutEvents.length > 0;
  const planned = asked.replans && !isEarly ? await hearReplan(unit, scene, signal) : NOTHING_ASKED;
  const early = new Set(isEarly ? triggers.flatMap(({ id, trigger }) => (trigger.kind === 'replan' ? id : [])) : []);
  const retries = asked.retries.map((targets): RolloutEvent => ({ kind: 'retry', ...(targets && { targets }) }));
  return {
    rolloutEvents: [
      ...joined.rolloutEvents,
      ...repeated.rolloutEvents,
      ...planned.rolloutEvents,
      ...retries,
      ...superseded,
    ],
    rows: [...joined.rows, ...repeated.rows],
    before: [...joined.before, ...repeated.before],
    dropped: joined.dropped ?? [],
    done: [...asked.done.filter((id) => !early.has(id)), ...joined.done],
    ...(joined.resolvedUpTo === undefined ? {} : { resolvedUpTo: joined.resolvedUpTo }),
    ...(planned.trouble === undefined ? {} : { trouble: planned.trouble }),
    ...(isEarly ? { hasMore: true } : {}),
  };
}

function abortBy(by: string | undefined): RolloutEvent {
  return { kind: 'abort', ...(by === undefined ? {} : { by }) };
}

/**
 * Resolves the placement again. New targets join the rollout; targets that leave are dropped from it, and stay members
 * until the next plan removes the deployment from them. Those that were deleted are forgotten at once: nothing can be
 * removed from them, and another target may have the name by now. An unsure resolution changes nothing.
 */
async function hearPlaces(unit: UnitOfWork, scene: TriggerScene, signal: AbortSignal): Promise<HeardTriggers> {
  const { deployment, state, triggers, now } = scene;
  const around = await planInputs(unit, scene, signal);
  const { resolution } = around;
  if (deployment.deletion !== undefined || resolution.kind === 'unsure') return forgetDeleted(scene, around);
  const requested = requestedChange(triggers.map(({ trigger }) => trigger));
  const membership = decideMembership({ ...around, deployment, requested, resolution, now });
  const known = membersOf(state);
  const added = membership.delta.added.filter((id) => known.get(id)?.change !== 'deliver' || isDropped(known.get(id)));
  const rows = added.flatMap((id) => membership.rows.get(id) ?? []);
  const facts = new Map(factsOf(rows).map((fact) => [fact.id, fact]));
  const joined = added.flatMap((id) => {
    const fact = facts.get(id);
    return fact === undefined ? [] : { ...fact, labels: around.targets.get(id)?.labels ?? {} };
  });
  const stays = new Set([...membership.delta.added, ...membership.delta.unchanged]);
  const leaving = [...known.values()].filter((member) => member.change === 'deliver' && !stays.has(member.id));
  const gone = new Set(membership.dropped.filter((id) => !around.targets.has(id)));
  const emptied = [...known.values()].filter((member) => member.change === 'remove' && gone.has(member.id));
  const left = [...leaving, ...emptied].filter((member) => !isDropped(member)).map(({ id }) => id);
  const { placed } = turnTriggers(triggers);
  const isChange = joined.length + left.length > 0;
  // Some changes only a plan can make or report, with their causes: targets that leave, are held or are excluded. Their
  // triggers wait for the next plan.
  const isTold = canonicalJson(membership.placement) === canonicalJson(deployment.status.placement);
  const isWhole = isTold && leaving.length + membership.dropped.length === 0;
  return {
    rolloutEvents: isChange ? [{ kind: 'membershipChanged', joined, left }] : [],
    rows,
    before: around.rows.filter(({ target }) => facts.has(target) || gone.has(target)),
    dropped: [...gone],
    done: isWhole ? placed : [],
    resolvedUpTo: placed.at(-1) ?? '',
  };
}

/**
 * Where the placement decides nothing, deleted targets are forgotten all the same: no agent will answer for them. An unsure
 * resolution is looked at again with the next turn.
 */
function forgetDeleted({ deployment, state, triggers }: TriggerScene, { rows, targets }: PlanInputs): HeardTriggers {
  const gone = rows.filter(({ target }) => !targets.has(target));
  const dropped = new Set(gone.map(({ target }) => target));
  const members = [...membersOf(state).values()].filter((member) => dropped.has(member.id) && !isDropped(member));
  const left = members.map(({ id }) => id);
  const newest = deployment.deletion === undefined ? undefined : turnTriggers(triggers).placed.at(-1);
  return {
    rolloutEvents: left.length > 0 ? [{ kind: 'membershipChanged', joined: [], left }] : [],
    rows: [],
    before: gone,
    dropped: [...dropped],
    done: [],
    ...(newest === undefined ? {} : { resolvedUpTo: newest }),
  };
}

/** What was generated for targets whose manifest would differ now is not delivered. */
async function invalidate(
  unit: UnitOfWork,
  { deployment, triggers }: TriggerScene,
  signal: AbortSignal,
): Promise<void> {
  const targets = triggers.flatMap(({ trigger }) => (trigger.kind === 'regenerate' ? (trigger.targets ?? []) : []));
  if (targets.length === 0) return;
  const idOf = invalidationOf(triggers);
  const of = Map.groupBy([...new Set(targets)], idOf);
  for (const [id, some] of of) await unit.generated.invalidate(deployment.uid, some, id, signal);
  await unit.generated.invalidate(deployment.uid, [FOR_ALL], idOf(FOR_ALL), signal);
}

/** The targets leave and join again as they are: so they get the content once more, at the pace of their step. */
async function hearAgain(
  unit: UnitOfWork,
  { deployment, state }: TriggerScene,
  again: ReadonlySet<TargetId>,
  signal: AbortSignal,
): Promise<HeardTriggers> {
  const known = membersOf(state);
  const touched = [...again].filter((id) => {
    const member = known.get(id);
    // A member that still waits for its turn gets the current content then.
    return (
      member?.change === 'deliver' && !isDropped(member) && member.status !== 'Pending' && member.status !== 'Parked'
    );
  });
  if (touched.length === 0) return NOTHING_ASKED;
  const targets = new Map((await unit.pool.find(touched, signal)).map((target) => [target.id, target]));
  const rows = await unit.targets.some(deployment.uid, touched, signal);
  const joined = factsOf(rows).map((fact) => ({ ...fact, labels: targets.get(fact.id)?.labels ?? {} }));
  return { ...NOTHING_ASKED, rolloutEvents: [{ kind: 'membershipChanged', joined, left: touched }] };
}

/** Plans the rest of the rollout with the current rollout strategy. If no plan can be made, nothing changes. */
async function hearReplan(unit: UnitOfWork, scene: TriggerScene, signal: AbortSignal): Promise<HeardTriggers> {
  const { deployment, state, strategies, triggers } = scene;
  const members = [...membersOf(state).values()].filter((member) => !isDropped(member));
  const found = await unit.pool.find(
    members.map(({ id }) => id),
    signal,
  );
  const targets = new Map([...found, unit.pool.local].map((target) => [target.id, target]));
  const ids = (change: Member['change'], hasContent?: boolean): readonly TargetId[] =>
    members
      .filter((member) => member.change === change && (hasContent ?? member.hasContent) === member.hasContent)
      .map(({ id }) => id);
  const delta = { added: ids('deliver', false), removed: ids('remove'), unchanged: ids('deliver', true) };
  const upToDate = untouchedBy(state);
  const { rollout: spec } = deployment.spec;
  let own: Plan;
  try {
    own = planOf({ spec, membership: { delta }, targets, upToDate, rollouts: strategies.rollouts });
  } catch (error) {
    return { ...NOTHING_ASKED, trouble: error instanceof Error ? error.message : String(error) };
  }
  const planned = { workspacePath: deployment.workspace.path, targets: touchedBy(own) };
  const plan = withRequiredGates(own, await unit.requiredGates.of(planned, signal));
  const asked = triggers.flatMap(({ trigger }) => (trigger.kind === 'replan' ? [trigger.by] : []));
  // The rollout strategy may have another author: a change of it alone takes effect with the next plan, or with this
  // replan.
  const requesters = [...asked, ...(await unit.authors.of(deployment.uid, signal))];
  return { ...NOTHING_ASKED, rolloutEvents: [{ kind: 'replan', plan, facts: [], requesters }] };
}

async function planInputs(unit: UnitOfWork, scene: TriggerScene, signal: AbortSignal): Promise<PlanInputs> {
  const { deployment, revision, strategies, now } = scene;
  // Which targets a manifest fits never depends on a secret.
  const parsed = parseManifest(revision.spec.manifest, '/manifest', strategies.manifests);
  const manifest = parsed.kind === 'parsed' ? parsed.value : { type: revision.spec.manifest.type, fits: undefined };
  const looking = { deployment, spec: revision.spec, manifest, placements: strategies.placements, now };
  return await loadPlanInputs(unit, looking, signal);
}

function membersOf({ members }: RolloutState): ReadonlyMap<TargetId, Member> {
  return new Map([...entriesOf(members)].map(([, member]) => [member.id, member]));
}

function isDropped(member: Member | undefined): boolean {
  return member === undefined || member.status === 'Dropped';
}
