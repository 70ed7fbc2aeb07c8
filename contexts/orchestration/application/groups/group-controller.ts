import { type Clock, canonicalJson } from '#kit/std';
import type { DeliveryReport } from '#protocol/delivery';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import { decideGroup, type GroupDecision } from '../../domain/group/decide-group.ts';
import { recordOutcomes } from '../../domain/group/record-outcomes.ts';
import { LOCAL_TARGET_ID } from '../../domain/target-view.ts';
import type { GroupRecord, UnitOfWork, Units } from '../ports.ts';
import { actOnGroup, type ChildService } from './act-on-group.ts';
import { isGone, saidRevision } from './group-holdings.ts';
import { lookAtGroup } from './look-at-group.ts';

/** Reports of the platform as a target. Resolves once they are stored; the same report may be sent twice. */
export interface GroupReports {
  report(reports: readonly DeliveryReport[], signal: AbortSignal): Promise<void>;
}

export interface GroupControllerDeps {
  readonly units: Units;
  readonly service: ChildService;
  readonly reports: GroupReports;
  readonly clock: Clock;
}

/** `again`: there is more to do at once. `wait`: until that time, or until there is news. `rest`: the run is over. */
export type ControlAnswer =
  | { readonly kind: 'again' }
  | { readonly kind: 'wait'; readonly until: number | null }
  | { readonly kind: 'rest' };

/**
 * Looks at a group, acts on it, and reports its state as the platform's target. Everything but the reports is one unit of
 * work, so a crash leaves all of it or nothing; missing reports are sent by the next attempt.
 */
export class GroupController {
  readonly #deps: GroupControllerDeps;

  constructor(deps: GroupControllerDeps) {
    this.#deps = deps;
  }

  async control(group: DeploymentId, run: number, signal: AbortSignal): Promise<ControlAnswer> {
    const { units, reports } = this.#deps;
    const look = await units.write((unit) => this.#look(unit, { group, run }, signal), signal);
    if (look === undefined) return { kind: 'rest' };
    await reports.report(look.reports, signal);
    if (!look.decision.isGone) return look.answer;
    return await units.write(async (unit): Promise<ControlAnswer> => {
      await this.#forget(unit, group, signal);
      return (await unit.groups.rest(group, run, signal)) ? { kind: 'rest' } : { kind: 'again' };
    }, signal);
  }

  /**
   * The record of its revisions is kept as long as the deployment exists. The group may have been delivered again in the
   * meantime.
   */
  async #forget(unit: UnitOfWork, group: DeploymentId, signal: AbortSignal): Promise<void> {
    const record = await unit.groups.find(group, signal);
    const isOver = record !== undefined && isGone(record);
    if (isOver && (await unit.deployments.get(group, signal)) === undefined) await unit.groups.drop(group, signal);
  }

  async #look(unit: UnitOfWork, { group, run }: { group: DeploymentId; run: number }, signal: AbortSignal) {
    const record = await unit.groups.find(group, signal);
    if (record === undefined) return undefined;
    await unit.groups.hear(group, signal);
    const now = this.#deps.clock.now();
    const { deployment, scene } = await lookAtGroup(unit, record, signal);
    const decision = decideGroup(record.state, scene, now);
    const authors = decision.actions.length === 0 ? [] : await unit.authors.of(group, signal);
    const scope = { unit, service: this.#deps.service, record, deployment, authors, now };
    const outcomes = await actOnGroup(scope, decision.actions, signal);
    const asked = { before: record.state, decided: decision.state, revision: record.revision, outcomes };
    const next = { ...record, state: recordOutcomes(asked, now), hash: decision.isGone ? '' : record.hash };
    const isOther = next.hash !== record.hash || canonicalJson(next.state) !== canonicalJson(record.state);
    if (isOther) await unit.groups.put(next, signal);
    return {
      decision,
      reports: await reportsOf(unit, { record, decision }, signal),
      answer: await answerOf(unit, { group, run, decision }, signal),
    };
  }
}

/** A group that only waits for its children needs no workflow: they wake it. */
async function answerOf(
  unit: UnitOfWork,
  { group, run, decision }: { group: DeploymentId; run: number; decision: GroupDecision },
  signal: AbortSignal,
): Promise<ControlAnswer> {
  if (decision.actions.length > 0 || decision.isGone) return { kind: 'again' };
  if (decision.wakeAt !== undefined) return { kind: 'wait', until: decision.wakeAt };
  return (await unit.groups.rest(group, run, signal)) ? { kind: 'rest' } : { kind: 'again' };
}

async function reportsOf(
  unit: UnitOfWork,
  { record, decision }: { readonly record: GroupRecord; readonly decision: GroupDecision },
  signal: AbortSignal,
): Promise<readonly DeliveryReport[]> {
  const { group, hash, spec } = record;
  const about = { target: LOCAL_TARGET_ID, deployment: group };
  if (decision.isGone) return [{ ...about, revision: record.revision, kind: 'removed' }];
  const revision = await saidRevision(unit, record, signal);
  const { health, message } = decision.explanation;
  const said = { ...about, revision, kind: 'health', health, message } as const;
  return spec === undefined ? [said] : [{ ...about, revision, kind: 'applied', hash }, said];
}
