import { canonicalJson } from '#kit/std';
import { countsAfter, NO_COUNTS } from '../../domain/deployment/counts-after.ts';
import {
  decideMembership,
  factsOf,
  hasWork,
  isCompared,
  isUpToDate,
  type Membership,
  planOf,
  unpaced,
} from '../../domain/deployment/decide-plan.ts';
import type { Deployment, DeploymentId, DeploymentSpec } from '../../domain/deployment/deployment.ts';
import type { TargetCounts } from '../../domain/deployment/deployment-status.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { UNSURE_HASH } from '../../domain/deployment/order-of-target.ts';
import type { Revision } from '../../domain/deployment/revision.ts';
import { rolloutStatus } from '../../domain/deployment/rollout-status.ts';
import type { RecordedTrigger } from '../../domain/deployment/trigger.ts';
import { type Wishes, wishesOf } from '../../domain/deployment/wishes-of.ts';
import { changed } from '../../domain/deployment/with-status.ts';
import type { Manifest } from '../../domain/manifest/manifest-strategy.ts';
import { createExplainWait } from '../../domain/rollout/machine/explain-wait.ts';
import { openRollout, type RolloutStart } from '../../domain/rollout/machine/open-rollout.ts';
import type { RolloutState } from '../../domain/rollout/machine/rollout-state.ts';
import type { Plan } from '../../domain/rollout/plan.ts';
import type { TargetId } from '../../domain/target-view.ts';
import type { UnitOfWork } from '../ports.ts';
import { lookAround, type Surroundings } from './look-around.ts';
import type { PipelineDeps } from './pipeline-deps.ts';
import type { RolloutCache } from './rollout-cache.ts';
import { saveDeployment } from './save-deployment.ts';
import { WantedContent } from './wanted-content.ts';

/** What is to be done next. `wait`: something is in doubt; it is looked at again then, or when there is news. */
export type PlanAnswer =
  | { readonly kind: 'rest' }
  | { readonly kind: 'wait'; readonly until: number | null }
  | { readonly kind: 'rollout'; readonly revision: number };

export interface PlanRequest {
  readonly deployment: DeploymentId;
  readonly run: number;
}

/** The waits after something that is in doubt: as long again as it has lasted, within these. */
const WAIT_MS = { least: 5_000, most: 300_000 };
const UNSURE_MS = 30_000;

/** Resolve, delta, plan. */
export class PlanRollout {
  readonly #deps: PipelineDeps;
  readonly #cache: RolloutCache;

  constructor(deps: PipelineDeps, cache: RolloutCache) {
    this.#deps = deps;
    this.#cache = cache;
  }

  async run(request: PlanRequest, signal: AbortSignal): Promise<PlanAnswer> {
    for (;;) {
      signal.throwIfAborted();
      const prepared = await this.#prepare(request, signal);
      const done = await this.#deps.units.write((unit) => this.#plan(unit, { request, prepared }, signal), signal);
      if (done === 'again') continue;
      if ('state' in done) {
        const { uid: deployment, state } = done;
        this.#cache.put({ deployment, revision: state.revision }, { turn: 0, state, last: undefined });
        return { kind: 'rollout', revision: state.revision };
      }
      return done;
    }
  }

  /**
   * What targets are to have is worked out before the unit of work that plans: a strategy may take its time. Whoever has
   * come since then is not known to be up to date, and is looked at when its turn comes.
   */
  async #prepare({ deployment: uid }: PlanRequest, signal: AbortSignal): Promise<Prepared | undefined> {
    const { units, strategies, fingerprint, clock } = this.#deps;
    const look = async (unit: UnitOfWork): Promise<Seen | Extract<Prepared, { trouble: Trouble }> | undefined> => {
      const deployment = await unit.deployments.get(uid, signal);
      const triggers = await unit.triggers.of(uid, signal);
      if (deployment === undefined || deployment.rollout !== undefined || triggers.length === 0) return undefined;
      const wishes = wishesOf(triggers.map(({ trigger }) => trigger));
      const asked = await askedFor(unit, { deployment, wishes }, signal);
      const its = { asked, wishes, isUnfinished: await isUnfinished(unit, deployment, signal) };
      if (deployment.deletion !== undefined) return { ...its, wanted: undefined, around: undefined };
      try {
        const scene = { ...asked, deployment, manifests: strategies.manifests, fingerprint };
        const wanted = await WantedContent.open(unit, scene, signal);
        if (wanted.isSameForAll) return { ...its, wanted, around: undefined };
        const { manifest } = wanted;
        const looking = { deployment, spec: asked.spec, manifest, placements: strategies.placements, now: clock.now() };
        return { ...its, wanted, around: await lookAround(unit, looking, signal) };
      } catch (error) {
        if (!isStrategyFault(error)) throw error;
        return { asked, trouble: { reason: 'ManifestFailed', message: messageOf(error) } };
      }
    };
    const seen = await units.read(look, signal);
    if (seen === undefined || 'trouble' in seen) return seen;
    const { asked, wanted } = seen;
    try {
      const manifest = wanted?.manifest ?? { type: asked.spec.manifest.type, fits: undefined };
      return { asked, manifest, hashes: await hashesOf(seen, signal) };
    } catch (error) {
      signal.throwIfAborted();
      return { asked, trouble: { reason: 'ManifestFailed', message: messageOf(error) } };
    }
  }

  async #plan(unit: UnitOfWork, { request, prepared }: Planning, signal: AbortSignal): Promise<Planned> {
    const { deployment: uid, run } = request;
    await unit.deployments.hear(uid, signal);
    const deployment = await unit.deployments.get(uid, signal);
    if (deployment === undefined) return { kind: 'rest' };
    if (deployment.rollout !== undefined) return { kind: 'rollout', revision: deployment.rollout };
    const triggers = await unit.triggers.of(uid, signal);
    if (triggers.length === 0) return (await unit.deployments.rest(uid, run, signal)) ? { kind: 'rest' } : 'again';
    const wishes = wishesOf(triggers.map(({ trigger }) => trigger));
    if (wishes.isAbandoned) return await this.#forget(unit, deployment, signal);
    const asked = await askedFor(unit, { deployment, wishes }, signal);
    if (prepared === undefined || !isSameAsk(prepared.asked, asked)) return 'again';
    const scene: Scene = { deployment, triggers, wishes, asked, run };
    if ('trouble' in prepared) return await this.#trouble(unit, scene, prepared.trouble, signal);
    return await this.#resolve(unit, { ...scene, ...prepared }, signal);
  }

  async #resolve(unit: UnitOfWork, scene: ReadyScene, signal: AbortSignal): Promise<Planned> {
    const { deployment, asked, manifest, wishes } = scene;
    const { strategies, clock } = this.#deps;
    const now = clock.now();
    const look = { deployment, spec: asked.spec, manifest, placements: strategies.placements, now };
    const around = await lookAround(unit, look, signal);
    const { resolution } = around;
    if (resolution.kind === 'unsure' && deployment.deletion === undefined) {
      return await this.#trouble(unit, scene, { reason: 'PlacementUnsure', message: resolution.why }, signal);
    }
    const sure = resolution.kind === 'sure' ? resolution : NOBODY;
    const membership = decideMembership({ ...around, deployment, wishes, resolution: sure, now });
    const unfinished = await isUnfinished(unit, deployment, signal);
    const rows = sentAgain(membership.rows, wishes, now);
    const upToDate = upToDateOf(rows, { scene, isUnfinished: unfinished });
    const its = { ...membership, rows };
    let plan: Plan;
    try {
      const spec = asked.isPaced ? asked.spec.rollout : unpaced(asked.spec.rollout);
      plan = planOf({ spec, membership: its, targets: around.targets, upToDate, rollouts: strategies.rollouts });
    } catch (error) {
      return await this.#trouble(unit, scene, { reason: 'PlanFailed', message: messageOf(error) }, signal);
    }
    const outcome = { membership: its, around, now };
    return hasWork(plan)
      ? await this.#begin(unit, scene, { ...outcome, plan }, signal)
      : await this.#settle(unit, scene, outcome, signal);
  }

  /** Nothing is to be delivered or removed. */
  async #settle(unit: UnitOfWork, scene: ReadyScene, { membership, around, now }: Outcome, signal: AbortSignal) {
    const { deployment, asked, triggers, run } = scene;
    await keepRows(unit, { deployment, membership, before: around.rows }, signal);
    await unit.triggers.drop(idsOf(triggers), signal);
    if (deployment.deletion !== undefined) return await this.#forget(unit, deployment, signal);
    const after = changed(
      deployment,
      {
        ...asked.next,
        observedGeneration: asked.next.generation,
        revision: Math.max(deployment.revision, scene.wishes.ahead),
        status: statusWith(deployment, { placement: membership.placement, counts: countsOf(membership) }),
      },
      now,
    );
    const events = after === deployment ? [] : [{ type: 'deployment.statusChanged', deployment: after } as const];
    await saveDeployment(unit, { before: deployment, after, events, now }, signal);
    return (await unit.deployments.rest(deployment.uid, run, signal)) ? ({ kind: 'rest' } as const) : ('again' as const);
  }

  async #begin(unit: UnitOfWork, scene: ReadyScene, outcome: Outcome & { readonly plan: Plan }, signal: AbortSignal) {
    const { deployment, asked, triggers, wishes } = scene;
    const { membership, around, now, plan } = outcome;
    const { uid } = deployment;
    const revision = newRevision(scene, now);
    const start: RolloutStart = {
      rollout: `${uid}/${revision.revision}`,
      revision: revision.revision,
      requestedBy: wishes.requestedBy,
      plan,
      facts: factsOf(membership.rows.values()),
      now,
    };
    const names = Object.fromEntries([...membership.rows.values()].map(({ target, name }) => [target, name]));
    const key = { deployment: uid, revision: revision.revision };
    const state = openRollout(start);
    await keepRows(unit, { deployment, membership, before: around.rows }, signal);
    await unit.revisions.insert(revision, signal);
    await unit.rollouts.begin(key, { start, names }, signal);
    await unit.triggers.drop(idsOf(triggers), signal);
    const waits = createExplainWait(this.#deps.strategies.gates)(state, now);
    const rollout = rolloutStatus({ state, startTime: now, trigger: revision.trigger, waits });
    const after = changed(
      deployment,
      {
        ...asked.next,
        observedGeneration: asked.next.generation,
        revision: revision.revision,
        rollout: revision.revision,
        status: statusWith(deployment, { placement: membership.placement, counts: countsOf(membership), rollout }),
      },
      now,
    );
    const events = [{ type: 'rollout.planned', deployment: after } as const];
    await saveDeployment(unit, { before: deployment, after, events, now }, signal);
    return { uid, state };
  }

  /** It is off all targets, or nobody waits for that any longer. */
  async #forget(unit: UnitOfWork, deployment: Deployment, signal: AbortSignal): Promise<Planned> {
    const now = this.#deps.clock.now();
    await unit.deployments.remove(deployment.uid, signal);
    await unit.events.append([{ type: 'deployment.deleted', deployment }], now, signal);
    return { kind: 'rest' };
  }

  /** Nothing is delivered or removed, and the triggers stay. */
  async #trouble(
    unit: UnitOfWork,
    { deployment }: Scene,
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

/** What a rollout is to bring about, a rollback taken into account. */
interface Asked {
  readonly spec: DeploymentSpec;
  /** The one that the rollout will have. */
  readonly revision: number;
  readonly rollbackTo: number | undefined;
  readonly isPaced: boolean;
  /** What of the deployment becomes another by it. */
  readonly next: Pick<Deployment, 'spec' | 'generation'>;
}

interface Trouble {
  readonly reason: string;
  readonly message: string;
}

type Prepared =
  | { readonly asked: Asked; readonly trouble: Trouble }
  | { readonly asked: Asked; readonly manifest: Pick<Manifest, 'type' | 'fits'>; readonly hashes: Hashes };

/** What each is to have, as far as anybody looked; one for all of them, when there is but one. */
type Hashes = ReadonlyMap<TargetId, string> | string;

interface Planning {
  readonly request: PlanRequest;
  readonly prepared: Prepared | undefined;
}

type Planned = PlanAnswer | 'again' | { readonly uid: DeploymentId; readonly state: RolloutState };

interface Scene {
  readonly deployment: Deployment;
  readonly triggers: readonly RecordedTrigger[];
  readonly wishes: Wishes;
  readonly asked: Asked;
  readonly run: number;
}

interface ReadyScene extends Scene {
  readonly manifest: Pick<Manifest, 'type' | 'fits'>;
  readonly hashes: Hashes;
}

interface Outcome {
  readonly membership: Membership;
  readonly around: Surroundings;
  readonly now: number;
}

const NOBODY = { kind: 'sure', targets: [], excluded: [], retained: [], missing: [] } as const;

/** A rollback brings back what is generated from, and never where it goes or how fast: it must not shrink a fleet. */
async function askedFor(
  unit: UnitOfWork,
  { deployment, wishes }: { readonly deployment: Deployment; readonly wishes: Wishes },
  signal: AbortSignal,
): Promise<Asked> {
  const { uid, spec, generation } = deployment;
  const revision = Math.max(deployment.revision, wishes.ahead) + 1;
  const { rollback } = wishes;
  const old = rollback === undefined ? undefined : await unit.revisions.find(uid, rollback.to, signal);
  if (rollback === undefined || old === undefined || deployment.deletion !== undefined) {
    return { spec, revision, rollbackTo: undefined, isPaced: true, next: { spec, generation } };
  }
  const { namespace: _, ...kept } = spec;
  const { manifest, config, healthRules, driftPolicy, namespace } = old.spec;
  const restored = { ...kept, manifest, config, healthRules, driftPolicy, ...(namespace === undefined ? {} : { namespace }) };
  const isSame = canonicalJson(restored) === canonicalJson(spec);
  const next = isSame ? { spec, generation } : { spec: restored, generation: generation + 1 };
  return { spec: next.spec, revision, rollbackTo: rollback.to, isPaced: rollback.paced, next };
}

function isSameAsk(a: Asked, b: Asked): boolean {
  return (
    a.revision === b.revision && a.next.generation === b.next.generation && a.rollbackTo === b.rollbackTo
  );
}

async function isUnfinished(unit: UnitOfWork, { uid, revision }: Deployment, signal: AbortSignal): Promise<boolean> {
  const last = revision === 0 ? undefined : await unit.revisions.find(uid, revision, signal);
  return last?.outcome !== 'Succeeded';
}

interface Seen {
  readonly asked: Asked;
  /** Nothing, when the deployment goes. */
  readonly wanted: WantedContent | undefined;
  readonly around: Surroundings | undefined;
  readonly wishes: Wishes;
  readonly isUnfinished: boolean;
}

async function hashesOf({ wanted, around, ...scene }: Seen, signal: AbortSignal): Promise<Hashes> {
  const hashes = new Map<TargetId, string>();
  if (wanted === undefined) return hashes;
  if (around === undefined) {
    const same = await wanted.of(ANY_TARGET, signal);
    return same.kind === 'content' ? same.hash : hashes;
  }
  for (const row of around.rows) {
    const target = around.targets.get(row.target);
    // Who has nothing is not up to date, whatever it is to have.
    if (row.applied === undefined || target === undefined || !isCompared(row, scene)) continue;
    const its = await wanted.of(target, signal);
    if (its.kind === 'content') hashes.set(row.target, its.hash);
  }
  return hashes;
}

/** For what is the same for all targets, and looks at none. */
const ANY_TARGET = { id: '' as TargetId, name: '', type: '', labels: {}, properties: {}, manifestTypes: [] };

/** Those that are to get it once more are not believed to have it. */
function sentAgain(
  rows: ReadonlyMap<TargetId, DeploymentTarget>,
  { again }: Wishes,
  now: number,
): ReadonlyMap<TargetId, DeploymentTarget> {
  if (again.size === 0) return rows;
  const next = new Map(rows);
  for (const target of again) {
    const row = rows.get(target);
    if (row?.applied === undefined || !row.isPlaced) continue;
    next.set(target, { ...row, applied: { ...row.applied, hash: UNSURE_HASH }, updateTime: now });
  }
  return next;
}

/** Who has nothing to change: since it is as it should be, or since nobody asks. */
function upToDateOf(
  rows: ReadonlyMap<TargetId, DeploymentTarget>,
  { scene, isUnfinished }: { readonly scene: ReadyScene; readonly isUnfinished: boolean },
): ReadonlySet<TargetId> {
  const { wishes, hashes } = scene;
  const upToDate = new Set<TargetId>();
  for (const row of rows.values()) {
    const hash = typeof hashes === 'string' ? hashes : hashes.get(row.target);
    const isLeft = row.isPlaced && !isCompared(row, { wishes, isUnfinished });
    if (isLeft || isUpToDate(row, hash)) upToDate.add(row.target);
  }
  return upToDate;
}

async function keepRows(
  unit: UnitOfWork,
  kept: { readonly deployment: Deployment; readonly membership: Membership; readonly before: readonly DeploymentTarget[] },
  signal: AbortSignal,
): Promise<void> {
  const { deployment, membership, before } = kept;
  const old = new Map(before.map((row) => [row.target, row]));
  const differing = [...membership.rows.values()].filter((row) => old.get(row.target) !== row);
  await unit.targets.put(differing, signal);
  await unit.targets.drop(deployment.uid, membership.dropped, signal);
}

function newRevision({ deployment, asked, wishes }: Scene, now: number): Revision {
  return {
    deployment: deployment.uid,
    revision: asked.revision,
    generation: asked.next.generation,
    spec: asked.spec,
    trigger: wishes.text,
    requestedBy: wishes.requestedBy,
    rollbackTo: asked.rollbackTo,
    isPaced: asked.isPaced,
    createTime: now,
    endTime: undefined,
    outcome: undefined,
    message: undefined,
    turns: 0,
  };
}

/** From all of them: a plan looks at every row anyway. */
function countsOf({ rows }: Membership): TargetCounts {
  let counts = NO_COUNTS;
  for (const row of rows.values()) counts = countsAfter(counts, undefined, row);
  return counts;
}

/** Without trouble: there is none any longer. */
function statusWith({ status }: Deployment, changes: Partial<Deployment['status']>): Deployment['status'] {
  const { trouble: _, ...rest } = status;
  return { ...rest, ...changes };
}

function idsOf(triggers: readonly RecordedTrigger[]): readonly string[] {
  return triggers.map(({ id }) => id);
}

/** Of a manifest that cannot be read; what storage throws is not. */
function isStrategyFault(error: unknown): boolean {
  return error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
