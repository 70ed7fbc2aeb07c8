import { yieldIfLong } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import type { Revision } from '../../domain/deployment/revision.ts';
import type { RecordedTrigger } from '../../domain/deployment/trigger.ts';
import type { Action } from '../../domain/rollout/machine/action.ts';
import { createDecide, type Decide } from '../../domain/rollout/machine/decide.ts';
import { createExplainWait, type ExplainWait } from '../../domain/rollout/machine/explain-wait.ts';
import type { RolloutEvent } from '../../domain/rollout/machine/rollout-event.ts';
import type { RolloutState } from '../../domain/rollout/machine/rollout-state.ts';
import type { RolloutKey, UnitOfWork } from '../ports.ts';
import { type OwesRemovals, oweRemovals, owesRemovals } from '../removals/owe-removals.ts';
import { changedRows, endRollout, keepGates, namedWaits, saveStatus, type TurnOutcome } from './carry-out.ts';
import { type HeardTriggers, hearTriggers, NOTHING_ASKED } from './hear-triggers.ts';
import type { PipelineDeps } from './pipeline-deps.ts';
import type { RolloutCache, RolloutMoment } from './rollout-cache.ts';
import { watchAgain, watchGate } from './watch-gate.ts';

export interface TurnRequest {
  readonly deployment: DeploymentId;
  readonly revision: number;
  /** Identifies the request: the same for a repeated request whose answer got lost. */
  readonly step: string;
}

/** The next action of the workflow. */
export type TurnAnswer = {
  readonly isFinished: boolean;
  /** The batch of orders to send, if any. */
  readonly batch: number | null;
  /** When to look again if nothing happens before. */
  readonly wakeAt: number | null;
  /** There is more input to take at once. */
  readonly hasMore: boolean;
};

/** Most events that one turn takes. */
const HEARD = 1_000;
/** A snapshot is stored after this many turns, so that states need not be replayed from the first. */
const SNAPSHOT_EVERY = 500;
const CANCEL_MS = 5_000;

/** Takes the events since the last turn, and carries out the resulting decisions. */
export class TakeTurn {
  readonly #deps: PipelineDeps;
  readonly #cache: RolloutCache;
  readonly #owes: OwesRemovals;
  readonly #decide: Decide;
  readonly #explainWait: ExplainWait;
  /** By deployment, the last trigger evaluated for membership: some triggers stay until the next plan. */
  readonly #resolved = new Map<DeploymentId, string>();

  constructor(deps: PipelineDeps, cache: RolloutCache) {
    this.#deps = deps;
    this.#cache = cache;
    this.#owes = owesRemovals(deps.strategies.manifests);
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
    const { cancelled = [] } = taken;
    if (cancelled.length > 0) await this.#cancel(rollout, cancelled, signal);
    return taken.answer;
  }

  async #turn(unit: UnitOfWork, rollout: RolloutKey, step: string, signal: AbortSignal): Promise<Taken> {
    const { deployment: uid, revision: number } = rollout;
    // Statements that do not depend on each other are issued together, here and below: turns hold up deliveries.
    const [deployment, revision, moment, triggers] = await Promise.all([
      unit.deployments.get(uid, signal),
      unit.revisions.find(uid, number, signal),
      this.#cache.load(unit, rollout, signal),
      unit.triggers.of(uid, signal),
      unit.deployments.hear(uid, signal),
    ]);
    if (deployment?.rollout !== number) return { answer: FINISHED };
    if (revision === undefined || moment === undefined)
      throw new RangeError(`rollout ${number} of deployment ${uid} is missing`);
    // A repeated request may have missed anything: `hasMore` makes the caller look again at once.
    if (moment.last?.step === step) return { answer: answerOf(moment, { hasMore: true }), moment };
    const scene = { deployment, rollout, revision, moment, triggers, step, now: this.#deps.clock.now() };
    const heard = await this.#hear(unit, scene, signal);
    if (!heard.isQuiet) return await this.#conclude(unit, { ...scene, heard }, signal);
    return { answer: answerOf({ ...moment, last: undefined }, heard), moment, ...heard.resolved };
  }

  /** Collects the input of the turn: posted events, the user's settings, triggers and the time. */
  async #hear(unit: UnitOfWork, scene: TurnScene, signal: AbortSignal) {
    const { deployment, rollout, revision, moment, triggers, now } = scene;
    const { uid } = deployment;
    const { state } = moment;
    const { strategies } = this.#deps;
    const taken = await unit.rollouts.take(rollout, HEARD, signal);
    const resolvedUpTo = this.#resolved.get(uid) ?? '';
    const heard = { deployment, revision, state, triggers, strategies, resolvedUpTo, now };
    const asked = triggers.length === 0 ? NOTHING_ASKED : await hearTriggers(unit, heard, signal);
    if (asked.rows.length > 0) await unit.targets.put(asked.rows, signal);
    const { dropped = [] } = asked;
    if (dropped.length > 0) {
      const gone = new Set(dropped);
      const rows = asked.before.filter(({ target }) => gone.has(target));
      await unit.targets.drop(uid, dropped, signal);
      await oweRemovals(unit, this.#owes, { deployment, rows, now }, signal);
    }
    if (asked.done.length > 0) await unit.triggers.drop(asked.done, signal);
    const watched = state.gate === undefined ? [] : await watchAgain(unit, { deployment, rollout, state }, signal);
    const posted = [...taken, ...watched];
    const isDue = state.timer !== undefined && state.timer <= now;
    const isSteered = steering(deployment, state).length > 0;
    return {
      posted,
      asked,
      isQuiet: posted.length + asked.rolloutEvents.length === 0 && !isSteered && !isDue,
      hasMore: taken.length >= HEARD || asked.hasMore === true,
      resolved: asked.resolvedUpTo === undefined ? {} : { resolvedUpTo: asked.resolvedUpTo },
    };
  }

  /** Decides, and writes the decision and all its effects. */
  async #conclude(
    unit: UnitOfWork,
    scene: TurnScene & { readonly heard: HeardInTurn },
    signal: AbortSignal,
  ): Promise<Taken> {
    const { deployment, rollout, revision, moment, triggers, step, now, heard } = scene;
    const { asked } = heard;
    const told = { posted: heard.posted, asked: asked.rolloutEvents };
    const decided = await this.#decideAll(unit, { deployment, rollout, state: moment.state, ...told, now }, signal);
    await yieldIfLong();
    const outcome: TurnOutcome = { deployment, rollout, turn: moment.turn + 1, before: moment.state, now, ...decided };
    const { turn, rolloutEvents, after: state } = outcome;
    const [rows, waits] = await Promise.all([
      changedRows(unit, outcome, signal),
      namedWaits(unit, { deployment: deployment.uid, waits: this.#explainWait(state, now) }, signal),
    ]);
    await yieldIfLong();
    const events = await keepGates(unit, { outcome, newId: this.#deps.newId }, signal);
    const last = { step, hasBatch: rows.hasBatch };
    const isFinished = state.phase.kind === 'Finished';
    if (isFinished) await endRollout(unit, { outcome, revision, triggers }, signal);
    const isLong = !isFinished && turn % SNAPSHOT_EVERY === 0;
    const joined = { before: asked.before, after: asked.rows };
    await Promise.all([
      unit.targets.put(rows.differing, signal),
      unit.rollouts.appendTurn(rollout, { turn, time: now, rolloutEvents, ...last }, signal),
      isLong ? unit.rollouts.putSnapshot(rollout, { turn, state }, signal) : undefined,
      saveStatus(unit, { outcome, revision, rows, joined, events, waits, trouble: asked.trouble }, signal),
    ]);
    const next: RolloutMoment = { turn, state, last };
    const answer = isFinished ? FINISHED : answerOf(next, heard);
    return { answer, moment: next, cancelled: rows.cancelled.map(({ target }) => target), ...heard.resolved };
  }

  /** Applies all events, then the clock. When a gate asks for another deployment's health, the answer follows at once. */
  async #decideAll(unit: UnitOfWork, scene: DecideScene, signal: AbortSignal) {
    const { deployment, rollout, state: first, posted, asked, now } = scene;
    const rolloutEvents: RolloutEvent[] = [];
    const actions: Action[] = [];
    let state = first;
    const tell = (event: RolloutEvent): void => {
      const decision = this.#decide(state, event, now);
      state = decision.state;
      rolloutEvents.push(event);
      actions.push(...decision.actions);
    };
    for (const event of posted) tell(event);
    for (const event of steering(deployment, state)) tell(event);
    for (const event of asked) tell(event);
    tell({ kind: 'clock' });
    for (let seen = 0; seen < actions.length; seen += 1) {
      const action = actions[seen];
      if (action?.kind !== 'watchDeployment') continue;
      const { gate, deployment: name } = action;
      tell(await watchGate(unit, { deployment, rollout, gate, name }, signal));
    }
    return { rolloutEvents, actions, after: state };
  }

  /** Best effort: an agent that does not receive the cancellation finishes the order by itself. */
  async #cancel(
    { deployment, revision }: RolloutKey,
    targets: readonly TargetId[],
    signal: AbortSignal,
  ): Promise<void> {
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
  readonly triggers: readonly RecordedTrigger[];
  readonly step: string;
  readonly now: number;
}

interface HeardInTurn {
  readonly posted: readonly RolloutEvent[];
  readonly asked: HeardTriggers;
  readonly hasMore: boolean;
  readonly resolved: Pick<Taken, 'resolvedUpTo'>;
}

interface DecideScene {
  readonly deployment: Deployment;
  readonly rollout: RolloutKey;
  readonly state: RolloutState;
  readonly posted: readonly RolloutEvent[];
  readonly asked: readonly RolloutEvent[];
  readonly now: number;
}

const FINISHED: TurnAnswer = { isFinished: true, batch: null, wakeAt: null, hasMore: false };

function answerOf({ turn, state, last }: RolloutMoment, { hasMore }: Pick<TurnAnswer, 'hasMore'>): TurnAnswer {
  return {
    isFinished: state.phase.kind === 'Finished',
    batch: last?.hasBatch === true ? turn : null,
    wakeAt: state.timer ?? null,
    hasMore,
  };
}

/** Applies `rolloutState` if the user set it before the rollout began, or when the rollout was not notified. */
function steering({ rolloutState }: Deployment, { phase, isStarted }: RolloutState): readonly RolloutEvent[] {
  const start: readonly RolloutEvent[] = isStarted ? [] : [{ kind: 'started' }];
  if (rolloutState === 'paused' && phase.kind !== 'Paused') {
    return [{ kind: 'pause', by: 'the deployment', message: 'its rolloutState is paused' }, ...start];
  }
  const isPersons = phase.kind === 'Paused' && phase.reason === 'PausedByUser';
  return rolloutState === 'running' && isPersons ? [{ kind: 'resume' }, ...start] : start;
}
