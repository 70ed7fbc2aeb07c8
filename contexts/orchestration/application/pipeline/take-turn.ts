import { countsAfter } from '../../domain/deployment/counts-after.ts';
import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import type { OrchestrationEvent } from '../../domain/deployment/deployment-event.ts';
import type { Revision } from '../../domain/deployment/revision.ts';
import { rolloutStatus } from '../../domain/deployment/rollout-status.ts';
import type { RecordedTrigger } from '../../domain/deployment/trigger.ts';
import { changesContent } from '../../domain/deployment/wishes-of.ts';
import { changed } from '../../domain/deployment/with-status.ts';
import type { Action } from '../../domain/rollout/machine/action.ts';
import { createDecide, type Decide } from '../../domain/rollout/machine/decide.ts';
import { createExplainWait, type ExplainWait, type Wait } from '../../domain/rollout/machine/explain-wait.ts';
import type { Happening } from '../../domain/rollout/machine/happening.ts';
import type { RolloutState } from '../../domain/rollout/machine/rollout-state.ts';
import type { TargetId } from '../../domain/target-view.ts';
import type { RolloutKey, UnitOfWork } from '../ports.ts';
import { type ChangedRows, changeRows, keepGates, type TurnOutcome } from './carry-out.ts';
import { type HeardTriggers, hearTriggers } from './hear-triggers.ts';
import type { PipelineDeps } from './pipeline-deps.ts';
import type { RolloutCache, RolloutMoment } from './rollout-cache.ts';
import { saveDeployment } from './save-deployment.ts';
import { steering } from './steering.ts';
import { answerOf, FINISHED, REPEATED, type Rest, type TurnAnswer } from './turn-answer.ts';
import { watchAgain, watchGate } from './watch-gate.ts';

export interface TurnRequest {
  readonly deployment: DeploymentId;
  readonly revision: number;
  /** The same for whoever asks again for want of an answer. */
  readonly step: string;
}

/** Happenings that one turn takes in. */
const HEARD = 1_000;
/** Turns after which the state is kept, so that nobody has to work it out from the first. */
const SNAPSHOT_EVERY = 500;
/** Revisions that are looked through for one that succeeded. */
const LOOKED_BACK = 100;
const CANCEL_MS = 5_000;
/** How often it is looked for a deployment that a gate waits for, and that is not there. */
const BLIND_MS = 30_000;

/** What happened since the last turn, and what follows from it. */
export class TakeTurn {
  readonly #deps: PipelineDeps;
  readonly #cache: RolloutCache;
  readonly #decide: Decide;
  readonly #explainWait: ExplainWait;
  /** By deployment, the last trigger that was looked at for who is placed: some stay until the next plan. */
  readonly #resolved = new Map<DeploymentId, string>();

  constructor(deps: PipelineDeps, cache: RolloutCache) {
    this.#deps = deps;
    this.#cache = cache;
    this.#decide = createDecide(deps.strategies.gates);
    this.#explainWait = createExplainWait(deps.strategies.gates);
  }

  async run({ deployment, revision, step }: TurnRequest, signal: AbortSignal): Promise<TurnAnswer> {
    const rollout = { deployment, revision };
    const turn = (unit: UnitOfWork) => this.#turn(unit, rollout, step, signal);
    const taken = await this.#deps.units.writeOf([deployment], turn, signal);
    if (taken.resolvedUpTo !== undefined) this.#resolved.set(deployment, taken.resolvedUpTo);
    if (taken.answer.isFinished) this.#resolved.delete(deployment);
    if (taken.answer.isFinished) this.#cache.forget(rollout);
    else if (taken.moment !== undefined) this.#cache.put(rollout, taken.moment);
    await this.#cancel(rollout, taken.cancelled ?? [], signal);
    return taken.answer;
  }

  async #turn(unit: UnitOfWork, rollout: RolloutKey, step: string, signal: AbortSignal): Promise<Taken> {
    const { deployment: uid, revision: number } = rollout;
    await unit.deployments.hear(uid, signal);
    const deployment = await unit.deployments.get(uid, signal);
    if (deployment?.rollout !== number) return { answer: FINISHED };
    const moment = await this.#cache.load(unit, rollout, signal);
    if (moment.last?.step === step) return { answer: answerOf(moment, REPEATED), moment };
    const revision = await unit.revisions.find(uid, number, signal);
    if (revision === undefined) throw new RangeError(`revision ${number} of deployment ${uid}`);
    const scene = { deployment, rollout, revision, moment, step, now: this.#deps.clock.now() };
    const heard = await this.#hear(unit, scene, signal);
    if (!heard.isQuiet) return await this.#conclude(unit, { ...scene, heard }, signal);
    return { answer: answerOf({ ...moment, last: undefined }, heard.rest), moment, ...heard.resolved };
  }

  /** All that there is for the rollout: what was posted, what people set, what triggers ask for, and the time. */
  async #hear(unit: UnitOfWork, { deployment, rollout, revision, moment, now }: TurnScene, signal: AbortSignal) {
    const { uid } = deployment;
    const { state } = moment;
    const { strategies } = this.#deps;
    const taken = await unit.rollouts.take(rollout, HEARD, signal);
    const triggers = await unit.triggers.of(uid, signal);
    const resolvedUpTo = this.#resolved.get(uid) ?? '';
    const asked = await hearTriggers(
      unit,
      { deployment, revision, state, triggers, strategies, resolvedUpTo, now },
      signal,
    );
    if (asked.rows.length > 0) await unit.targets.put(asked.rows, signal);
    if (asked.done.length > 0) await unit.triggers.drop(asked.done, signal);
    const watched = await watchAgain(unit, { deployment, rollout, state }, signal);
    const posted = [...taken, ...watched.happenings];
    const isDue = state.timer !== undefined && state.timer <= now;
    const isSteered = steering(deployment, state).length > 0;
    return {
      posted,
      asked,
      triggers,
      isQuiet: posted.length + asked.happenings.length === 0 && !isSteered && !isDue,
      rest: { hasMore: taken.length >= HEARD, lookAt: watched.isBlind ? now + BLIND_MS : Infinity },
      resolved: asked.resolvedUpTo === undefined ? {} : { resolvedUpTo: asked.resolvedUpTo },
    };
  }

  /** Decides, and writes down what was decided and all that follows from it. */
  async #conclude(
    unit: UnitOfWork,
    scene: TurnScene & { readonly heard: HeardInTurn },
    signal: AbortSignal,
  ): Promise<Taken> {
    const { deployment, rollout, revision, moment, step, now, heard } = scene;
    const { asked, triggers, rest } = heard;
    const told = { posted: heard.posted, asked: asked.happenings };
    const decided = await this.#decideAll(unit, { deployment, rollout, state: moment.state, ...told, now }, signal);
    const outcome: TurnOutcome = { deployment, rollout, turn: moment.turn + 1, before: moment.state, now, ...decided };
    const { turn, happenings, after: state } = outcome;
    const rows = await changeRows(unit, outcome, signal);
    const events = await keepGates(unit, { outcome, newId: this.#deps.newId }, signal);
    const last = { step, hasBatch: rows.hasBatch };
    await unit.rollouts.appendTurn(rollout, { turn, time: now, happenings, ...last }, signal);
    const isFinished = state.phase.kind === 'Finished';
    if (isFinished) await this.#finish(unit, { outcome, revision, triggers }, signal);
    else if (turn % SNAPSHOT_EVERY === 0) await unit.rollouts.putSnapshot(rollout, { turn, state }, signal);
    const joined = { before: asked.before, after: asked.rows };
    await this.#save(unit, { outcome, revision, rows, joined, events, trouble: asked.trouble }, signal);
    const next: RolloutMoment = { turn, state, last };
    // Whether there is anybody to watch is looked at once more when it has just begun to.
    const isOpened = state.gate?.hasAsked === true && state.gate.id !== moment.state.gate?.id;
    const answer = isFinished ? FINISHED : answerOf(next, isOpened ? { ...rest, lookAt: now + BLIND_MS } : rest);
    return { answer, moment: next, cancelled: rows.cancelled.map(({ target }) => target), ...heard.resolved };
  }

  /** All that is told, then the time. What a gate asks of another deployment is answered at once. */
  async #decideAll(unit: UnitOfWork, scene: DecideScene, signal: AbortSignal) {
    const { deployment, rollout, state: first, posted, asked, now } = scene;
    const happenings: Happening[] = [];
    const actions: Action[] = [];
    let state = first;
    const tell = (happening: Happening): void => {
      const decision = this.#decide(state, happening, now);
      state = decision.state;
      happenings.push(happening);
      actions.push(...decision.actions);
    };
    for (const happening of posted) tell(happening);
    for (const happening of steering(deployment, state)) tell(happening);
    for (const happening of asked) tell(happening);
    tell({ kind: 'clock' });
    for (let seen = 0; seen < actions.length; seen += 1) {
      const action = actions[seen];
      if (action?.kind !== 'watchDeployment') continue;
      const { gate, deployment: name } = action;
      tell(await watchGate(unit, { deployment, rollout, gate, name }, signal));
    }
    return { happenings, actions, after: state };
  }

  async #finish(unit: UnitOfWork, { outcome, revision, triggers }: Finishing, signal: AbortSignal): Promise<void> {
    const { rollout, after, turn, now, actions } = outcome;
    if (after.phase.kind !== 'Finished') return;
    const { outcome: how, message } = after.phase;
    const ended = { endTime: now, outcome: how, message: message === '' ? undefined : message, turns: turn };
    await unit.revisions.replace({ ...revision, ...ended }, signal);
    await unit.rollouts.end(rollout, signal);
    await unit.watches.dropAll(rollout, signal);
    const rollback = actions.find((action) => action.kind === 'rollback');
    // What waits to be rolled out may well be the repair.
    if (rollback === undefined || triggers.some(({ trigger }) => changesContent(trigger))) return;
    const good = await lastGood(unit, rollout, signal);
    if (good === undefined) return;
    const trigger = { kind: 'rollback', to: good, paced: false, by: 'fleetshift', reason: rollback.message } as const;
    await unit.triggers.add(rollout.deployment, [trigger], now, signal);
  }

  async #save(unit: UnitOfWork, saved: Saving, signal: AbortSignal): Promise<void> {
    const { outcome, revision, rows, joined, events, trouble: message } = saved;
    const { deployment, after: state, before, now } = outcome;
    const counts = [joined, rows].reduce(countedWith, deployment.status.counts);
    const waits = await this.#waits(unit, outcome, signal);
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

  /** With the names of targets, for people. */
  async #waits(
    unit: UnitOfWork,
    { deployment, after, now }: TurnOutcome,
    signal: AbortSignal,
  ): Promise<readonly Wait[]> {
    const waits = this.#explainWait(after, now);
    const ids = [...new Set(waits.flatMap(({ targets }) => targets ?? []))];
    if (ids.length === 0) return waits;
    const rows = await unit.targets.some(deployment.uid, ids, signal);
    const names = new Map(rows.map(({ target, name }) => [target, name]));
    return waits.map(({ targets, ...wait }) =>
      targets === undefined ? wait : { ...wait, targets: targets.map((id) => (names.get(id) ?? id) as TargetId) },
    );
  }

  /** It is asked, and no more: whoever does not hear of it comes to its end by itself. */
  async #cancel(
    { deployment, revision }: RolloutKey,
    targets: readonly TargetId[],
    signal: AbortSignal,
  ): Promise<void> {
    if (targets.length === 0) return;
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(CANCEL_MS)]);
    const found = await this.#deps.units.read((unit) => unit.targets.some(deployment, targets, signal), signal);
    await Promise.allSettled(
      found.map(({ target: id, name, type }) =>
        this.#deps.router.cancel({ target: { id, name, type }, deployment, revision }, bounded),
      ),
    );
  }
}

interface Taken {
  readonly answer: TurnAnswer;
  readonly moment?: RolloutMoment;
  readonly cancelled?: readonly TargetId[];
  readonly resolvedUpTo?: string;
}

interface TurnScene {
  readonly deployment: Deployment;
  readonly rollout: RolloutKey;
  readonly revision: Revision;
  readonly moment: RolloutMoment;
  readonly step: string;
  readonly now: number;
}

interface HeardInTurn {
  readonly posted: readonly Happening[];
  readonly asked: HeardTriggers;
  readonly triggers: readonly RecordedTrigger[];
  readonly rest: Rest;
  readonly resolved: Pick<Taken, 'resolvedUpTo'>;
}

interface DecideScene {
  readonly deployment: Deployment;
  readonly rollout: RolloutKey;
  readonly state: RolloutState;
  readonly posted: readonly Happening[];
  readonly asked: readonly Happening[];
  readonly now: number;
}

interface Finishing {
  readonly outcome: TurnOutcome;
  readonly revision: Revision;
  readonly triggers: readonly RecordedTrigger[];
}

interface Saving {
  readonly outcome: TurnOutcome;
  readonly revision: Revision;
  readonly rows: ChangedRows;
  readonly joined: Pick<ChangedRows, 'before' | 'after'>;
  readonly events: readonly OrchestrationEvent[];
  readonly trouble: string | undefined;
}

function phaseEvent(before: RolloutState, after: RolloutState, deployment: Deployment): OrchestrationEvent | undefined {
  if (before.phase.kind === after.phase.kind) return undefined;
  if (after.phase.kind === 'Finished') return { type: 'rollout.finished', deployment };
  if (after.phase.kind === 'Paused') return { type: 'rollout.paused', deployment };
  return before.phase.kind === 'Paused' ? { type: 'rollout.resumed', deployment } : undefined;
}

function countedWith(counts: Deployment['status']['counts'], { before, after }: Pick<ChangedRows, 'before' | 'after'>) {
  const old = new Map(before.map((row) => [row.target, row]));
  return after.reduce((so, row) => countsAfter(so, old.get(row.target), row), counts);
}

async function lastGood(unit: UnitOfWork, { deployment, revision }: RolloutKey, signal: AbortSignal) {
  const older = await unit.revisions.page({ deployment, before: revision, limit: LOOKED_BACK }, signal);
  return older.find(({ outcome }) => outcome === 'Succeeded')?.revision;
}
