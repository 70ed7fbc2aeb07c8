import { yieldIfLong } from '#kit/std';
import {
  decideMembership,
  factsOf,
  type Hashes,
  hasWork,
  type Membership,
  planOf,
  sentAgain,
  unpaced,
  upToDateOf,
} from '../../domain/deployment/decide-plan.ts';
import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { type RequestedChange, requestedChange } from '../../domain/deployment/requested-change.ts';
import type { Revision } from '../../domain/deployment/revision.ts';
import { countsWith, NO_COUNTS } from '../../domain/deployment/status/counts-after.ts';
import { rolloutStatus } from '../../domain/deployment/status/rollout-status.ts';
import { changed } from '../../domain/deployment/status/with-status.ts';
import type { RecordedTrigger } from '../../domain/deployment/trigger.ts';
import type { Manifest } from '../../domain/manifest/manifest-strategy.ts';
import { createExplainWait } from '../../domain/rollout/machine/explain-wait.ts';
import { openRollout, type RolloutStart } from '../../domain/rollout/machine/open-rollout.ts';
import type { RolloutState } from '../../domain/rollout/machine/rollout-state.ts';
import { type Plan, touchedBy, withRequiredGates } from '../../domain/rollout/plan.ts';
import type { UnitOfWork } from '../ports.ts';
import { type OwesRemovals, oweRemovals, owesRemovals } from '../removals/owe-removals.ts';
import type { Made } from './generation/desired-contents.ts';
import type { PipelineDeps } from './pipeline-deps.ts';
import {
  type DesiredRevision,
  desiredRevision,
  isSameRevision,
  isUnfinished,
  loadPlanInputs,
  type PlanInputs,
} from './plan-inputs.ts';
import {
  isInvalidated,
  keepMade,
  messageOf,
  type PlanRequest,
  type Prepared,
  preparePlan,
  type Trouble,
} from './prepare-plan.ts';
import type { RolloutCache } from './rollout-cache.ts';
import { removeDeployment, saveDeployment } from './save-deployment.ts';

/**
 * The next step of the pipeline. `rest`: nothing is left to do, and the run is over. `wait`: something is in doubt; look
 * again at that time, or when there is news.
 */
export type PlanAnswer =
  | { readonly kind: 'rest' }
  | { readonly kind: 'wait'; readonly until: number | null }
  | { readonly kind: 'rollout'; readonly revision: number };

/** Bounds of the wait after trouble, which grows with the time the trouble has lasted. */
const WAIT_MS = { least: 5_000, most: 300_000 };
const UNSURE_MS = 30_000;

/** Resolve, delta, plan. */
export class PlanRollout {
  readonly #deps: PipelineDeps;
  readonly #cache: RolloutCache;
  readonly #owes: OwesRemovals;

  constructor(deps: PipelineDeps, cache: RolloutCache) {
    this.#deps = deps;
    this.#cache = cache;
    this.#owes = owesRemovals(deps.strategies.manifests);
  }

  async run(request: PlanRequest, signal: AbortSignal): Promise<PlanAnswer> {
    for (;;) {
      signal.throwIfAborted();
      const prepared = await preparePlan(this.#deps, request, signal);
      const plan = (unit: UnitOfWork) => this.#plan(unit, { request, prepared }, signal);
      const done = await this.#deps.units.writeOf([request.deployment], plan, signal);
      if (done === 'again') continue;
      if ('state' in done) {
        const { uid: deployment, state } = done;
        this.#cache.put({ deployment, revision: state.revision }, { turn: 0, state, last: undefined });
        return { kind: 'rollout', revision: state.revision };
      }
      return done;
    }
  }

  async #plan(unit: UnitOfWork, { request, prepared }: Planning, signal: AbortSignal): Promise<Planned> {
    const { deployment: uid, run } = request;
    if (!(await unit.deployments.isUnderWay(uid, run, signal))) return { kind: 'rest' };
    await unit.deployments.hear(uid, signal);
    const deployment = await unit.deployments.get(uid, signal);
    if (deployment === undefined) return { kind: 'rest' };
    if (deployment.rollout !== undefined) return { kind: 'rollout', revision: deployment.rollout };
    const triggers = await unit.triggers.of(uid, signal);
    if (triggers.length === 0) return await this.#rest(unit, deployment, run, signal);
    const requested = requestedChange(triggers.map(({ trigger }) => trigger));
    if (requested.isAbandoned) return await this.#forget(unit, deployment, signal);
    const asked = await desiredRevision(unit, { deployment, requested }, signal);
    if (prepared === undefined || !isSameRevision(prepared.asked, asked) || isInvalidated(prepared, triggers))
      return 'again';
    const scene: Scene = { deployment, triggers, requested, asked, run };
    if (!Number.isSafeInteger(asked.revision)) return await this.#trouble(unit, scene, EXHAUSTED, signal);
    if ('trouble' in prepared) return await this.#trouble(unit, scene, prepared.trouble, signal);
    return await this.#resolve(unit, { ...scene, ...prepared }, signal);
  }

  /** There are no triggers. A deployment that is being deleted, and is on no target any more, is removed. */
  async #rest(unit: UnitOfWork, deployment: Deployment, run: number, signal: AbortSignal): Promise<Planned> {
    const { uid, deletion } = deployment;
    const first = { deployment: uid, after: undefined, limit: 1 };
    const isNowhere = deletion !== undefined && (await unit.targets.page(first, signal)).length === 0;
    if (isNowhere) return await this.#leave(unit, deployment, signal);
    return (await unit.deployments.rest(uid, run, signal)) ? { kind: 'rest' } : 'again';
  }

  async #resolve(unit: UnitOfWork, scene: ReadyScene, signal: AbortSignal): Promise<Planned> {
    const { deployment, asked, manifest, requested } = scene;
    const { strategies, clock } = this.#deps;
    const now = clock.now();
    const look = { deployment, spec: asked.spec, manifest, placements: strategies.placements, now };
    const around = await loadPlanInputs(unit, { ...look, isAsBefore: !requested.resolves }, signal);
    // Each step looks at every target, and there may be ten thousand.
    await yieldIfLong();
    const { resolution } = around;
    if (resolution.kind === 'unsure' && deployment.deletion === undefined) {
      return await this.#trouble(unit, scene, { reason: 'PlacementUnsure', message: resolution.why }, signal);
    }
    const sure = resolution.kind === 'sure' ? resolution : NOBODY;
    const membership = decideMembership({ ...around, deployment, requested, resolution: sure, now });
    const unfinished = await isUnfinished(unit, deployment, signal);
    await yieldIfLong();
    const rows = requested.again.size === 0 ? membership.rows : sentAgain(membership.rows, requested, now);
    const upToDate = upToDateOf(rows, { requested, hashes: scene.hashes, isUnfinished: unfinished });
    const its = { ...membership, rows };
    await yieldIfLong();
    let plan: Plan;
    try {
      const spec = asked.isPaced ? asked.spec.rollout : unpaced(asked.spec.rollout);
      plan = planOf({ spec, membership: its, targets: around.targets, upToDate, rollouts: strategies.rollouts });
    } catch (error) {
      return await this.#trouble(unit, scene, { reason: 'PlanFailed', message: messageOf(error) }, signal);
    }
    await yieldIfLong();
    // A rollback restores what others wrote, but the user who requests it counts as its author.
    const { rollback } = requested;
    if (rollback) await unit.authors.add(deployment.uid, [rollback.by], asked.next.generation, signal);
    const outcome = { membership: its, around, now };
    if (!hasWork(plan)) return await this.#settle(unit, scene, outcome, signal);
    const planned = { workspacePath: deployment.workspace.path, targets: touchedBy(plan) };
    const gated = withRequiredGates(plan, await unit.requiredGates.of(planned, signal));
    return await this.#begin(unit, scene, { ...outcome, plan: gated }, signal);
  }

  /** Nothing has to be delivered or removed. */
  async #settle(unit: UnitOfWork, scene: ReadyScene, { membership, around, now }: Outcome, signal: AbortSignal) {
    const { deployment, asked, triggers, run } = scene;
    await keepRows(unit, { deployment, membership, before: around.rows, owes: this.#owes, now }, signal);
    await Promise.all([unit.triggers.drop(idsOf(triggers), signal), unit.generated.drop(deployment.uid, signal)]);
    if (deployment.deletion !== undefined) return await this.#leave(unit, deployment, signal);
    const after = changed(
      deployment,
      {
        ...asked.next,
        observedGeneration: asked.next.generation,
        revision: Math.max(deployment.revision, scene.requested.ahead),
        status: statusWith(deployment, membership),
      },
      now,
    );
    const events =
      after === deployment
        ? []
        : [...respecified(deployment, after), { type: 'deployment.statusChanged', deployment: after } as const];
    await saveDeployment(unit, { before: deployment, after, events, now }, signal);
    return (await unit.deployments.rest(deployment.uid, run, signal))
      ? ({ kind: 'rest' } as const)
      : ('again' as const);
  }

  async #begin(unit: UnitOfWork, scene: ReadyScene, outcome: Outcome & { readonly plan: Plan }, signal: AbortSignal) {
    const { deployment, asked, triggers, requested } = scene;
    const { membership, around, now, plan } = outcome;
    const { uid } = deployment;
    const revision = newRevision(scene, now);
    const authors = await unit.authors.of(uid, signal);
    const start: RolloutStart = {
      rollout: `${uid}/${revision.revision}`,
      revision: revision.revision,
      requestedBy: requested.requestedBy,
      requesters: [...new Set([...authors, ...requested.askers])].sort(),
      plan,
      facts: factsOf(membership.rows.values()),
      now,
    };
    const { placement, rows } = membership;
    const { held, waiting = [] } = placement;
    const named = [...waiting, ...[...rows.values()].map(({ target, name }) => ({ id: target, name }))];
    const names = Object.fromEntries(named.map(({ id, name }) => [id, name]));
    const opening = {
      start,
      names,
      ...(held.length === 0 ? {} : { held: held.map(({ id }) => id) }),
      ...(waiting.length === 0 ? {} : { waiting: waiting.map(({ id }) => id) }),
    };
    await yieldIfLong();
    const state = openRollout(start);
    await yieldIfLong();
    const waits = createExplainWait(this.#deps.strategies.gates)(state, now);
    const rollout = rolloutStatus({ state, startTime: now, trigger: revision.trigger, waits });
    const after = changed(
      deployment,
      {
        ...asked.next,
        observedGeneration: asked.next.generation,
        revision: revision.revision,
        rollout: revision.revision,
        status: statusWith(deployment, membership, { rollout }),
      },
      now,
    );
    const events = [...respecified(deployment, after), { type: 'rollout.planned', deployment: after } as const];
    await yieldIfLong();
    await Promise.all([
      keepRows(unit, { deployment, membership, before: around.rows, owes: this.#owes, now }, signal),
      unit.revisions.insert(revision, signal),
      unit.rollouts.begin({ deployment: uid, revision: revision.revision }, opening, signal),
      unit.triggers.drop(idsOf(triggers), signal),
      scene.made && keepMade(unit, { deployment: uid, made: [scene.made] }, signal),
      saveDeployment(unit, { before: deployment, after, events, now }, signal),
    ]);
    return { uid, state };
  }

  /** The deployment is off all targets. It stays as long as its strategy has not been told of each of them. */
  async #leave(unit: UnitOfWork, deployment: Deployment, signal: AbortSignal): Promise<Planned> {
    const { first, count } = await unit.removals.of(deployment.uid, signal);
    if (first === undefined) return await this.#forget(unit, deployment, signal);
    const { strategy, context, failure = 'it has not been called yet' } = first;
    const more = count > 1 ? ` (and for ${count - 1} more)` : '';
    const message = `Manifest strategy ${strategy} has not cleaned up after the removal from ${context.target.name}${more}: ${failure}`;
    return await this.#trouble(unit, { deployment }, { reason: 'CleanupPending', message }, signal);
  }

  /** The deployment is off all targets, or was abandoned. */
  async #forget(unit: UnitOfWork, deployment: Deployment, signal: AbortSignal): Promise<Planned> {
    const now = this.#deps.clock.now();
    await removeDeployment(unit, deployment, signal);
    await unit.events.append([{ type: 'deployment.deleted', deployment }], now, signal);
    return { kind: 'rest' };
  }

  /** Nothing is delivered or removed, and the triggers stay. */
  async #trouble(
    unit: UnitOfWork,
    { deployment }: Pick<Scene, 'deployment'>,
    { reason, message }: Trouble,
    signal: AbortSignal,
  ): Promise<Planned> {
    const now = this.#deps.clock.now();
    const { trouble: last, placement } = deployment.status;
    const since = last?.reason === reason && last.message === message ? last.since : now;
    const isUnsure = reason === 'PlacementUnsure';
    const status = {
      ...deployment.status,
      ...(isUnsure ? { placement: { ...placement, kind: 'unsure' as const, why: message } } : {}),
      trouble: { reason, message, since },
    };
    const after = changed(deployment, { status }, now);
    const events = after === deployment ? [] : [{ type: 'deployment.statusChanged', deployment: after } as const];
    await saveDeployment(unit, { before: deployment, after, events, now }, signal);
    const waitMs = isUnsure ? UNSURE_MS : Math.min(WAIT_MS.most, Math.max(WAIT_MS.least, now - since));
    return { kind: 'wait', until: now + waitMs };
  }
}

interface Planning {
  readonly request: PlanRequest;
  readonly prepared: Prepared | undefined;
}

type Planned = PlanAnswer | 'again' | { readonly uid: DeploymentId; readonly state: RolloutState };

interface Scene {
  readonly deployment: Deployment;
  readonly triggers: readonly RecordedTrigger[];
  readonly requested: RequestedChange;
  readonly asked: DesiredRevision;
  readonly run: number;
}

interface ReadyScene extends Scene {
  readonly manifest: Pick<Manifest, 'type' | 'fits'>;
  readonly hashes: Hashes;
  readonly made?: Made;
}

interface Outcome {
  readonly membership: Membership;
  readonly around: PlanInputs;
  readonly now: number;
}

const EXHAUSTED: Trouble = {
  reason: 'PlanFailed',
  message: 'The revision numbers are exhausted. Delete the deployment, abandon it, and create it again.',
};

const NOBODY = { kind: 'sure', targets: [], excluded: [], retained: [], missing: [] } as const;

async function keepRows(
  unit: UnitOfWork,
  kept: {
    readonly deployment: Deployment;
    readonly membership: Membership;
    readonly before: readonly DeploymentTarget[];
    readonly owes: OwesRemovals;
    readonly now: number;
  },
  signal: AbortSignal,
): Promise<void> {
  const { deployment, membership, before, owes, now } = kept;
  const old = new Map(before.map((row) => [row.target, row]));
  const differing = [...membership.rows.values()].filter((row) => old.get(row.target) !== row);
  await unit.targets.put(differing, signal);
  if (membership.dropped.length === 0) return;
  await unit.targets.drop(deployment.uid, membership.dropped, signal);
  const dropped = membership.dropped.flatMap((target) => old.get(target) ?? []);
  await oweRemovals(unit, owes, { deployment, rows: dropped, now }, signal);
}

/** A rollback changes the spec. */
function respecified(before: Deployment, after: Deployment) {
  return after.generation === before.generation ? [] : [{ type: 'deployment.updated', deployment: after } as const];
}

function newRevision({ deployment, asked, requested }: Scene, now: number): Revision {
  return {
    deployment: deployment.uid,
    revision: asked.revision,
    generation: asked.next.generation,
    spec: asked.spec,
    trigger: requested.text,
    requestedBy: requested.requestedBy,
    rollbackTo: asked.rollbackTo,
    isPaced: asked.isPaced,
    createTime: now,
    endTime: undefined,
    outcome: undefined,
    message: undefined,
    turns: 0,
  };
}

/** Counted from scratch: a plan looks at every row anyway. Drops `trouble`, which is over, and `awaitsPlan`. */
function statusWith(
  { status }: Deployment,
  { placement, rows }: Membership,
  changes: Pick<Deployment['status'], 'rollout'> = {},
): Deployment['status'] {
  const { trouble: _, awaitsPlan: __, ...rest } = status;
  const counts = countsWith(NO_COUNTS, new Map(), { rows: rows.values() });
  return { ...rest, placement, counts, ...changes };
}

function idsOf(triggers: readonly RecordedTrigger[]): readonly string[] {
  return triggers.map(({ id }) => id);
}
