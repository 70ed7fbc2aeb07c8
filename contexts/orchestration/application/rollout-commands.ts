import type { Precondition, ResourceName } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { Deployment } from '../domain/deployment/deployment.ts';
import { DeploymentError, deploymentNotFound, noRollout } from '../domain/deployment/deployment-error.ts';
import type { DeploymentTarget } from '../domain/deployment/deployment-target.ts';
import { HIGHEST_ACCEPTED } from '../domain/deployment/status/revision-ahead.ts';
import { changed } from '../domain/deployment/status/with-status.ts';
import type { Trigger } from '../domain/deployment/trigger.ts';
import { saveDeployment } from './pipeline/save-deployment.ts';
import type { UnitOfWork } from './ports.ts';
import { refuseForGroup } from './refuse-for-group.ts';
import { postRolloutState, requestPlan } from './wake-pipeline.ts';

/** The deployment, the actor and the precondition. */
export interface RolloutCommand {
  readonly workspace: ResourceName;
  readonly name: ResourceName;
  readonly precondition: Precondition<Deployment>;
  readonly by: string;
  readonly now: number;
}

/** Some of its targets, by name or uid. */
export interface SomeTargets {
  readonly targets?: readonly string[];
}

/**
 * The commands that users have for rollouts. Each is recorded for the deployment's pipeline, which carries it out later;
 * the command returns the deployment as it is at the moment.
 */
export const rolloutCommands = {
  /** Nothing new starts; orders under way run to their end. */
  async pause(unit: UnitOfWork, command: RolloutCommand, signal: AbortSignal): Promise<Deployment> {
    return await steer(unit, await found(unit, command, signal), { ...command, rolloutState: 'paused' }, signal);
  },

  /** Also resumes a rollout that paused by itself: failures so far are accepted. */
  async resume(unit: UnitOfWork, command: RolloutCommand, signal: AbortSignal): Promise<Deployment> {
    return await steer(unit, await found(unit, command, signal), { ...command, rolloutState: 'running' }, signal);
  },

  async abort(unit: UnitOfWork, command: RolloutCommand, signal: AbortSignal): Promise<Deployment> {
    const deployment = await found(unit, command, signal);
    if (deployment.rollout === undefined) throw noRollout(deployment.name, 'abort');
    return await ask(unit, deployment, { trigger: { kind: 'abort', by: command.by }, now: command.now }, signal);
  },

  /** The rest of the rollout under way follows the rollout strategy as it is now. */
  async replan(unit: UnitOfWork, command: RolloutCommand, signal: AbortSignal): Promise<Deployment> {
    const deployment = await found(unit, command, signal);
    if (deployment.rollout === undefined) throw noRollout(deployment.name, 'replan');
    return await ask(unit, deployment, { trigger: { kind: 'replan', by: command.by }, now: command.now }, signal);
  },

  /** Retries all failed targets, or the ones named. */
  async retry(unit: UnitOfWork, command: RolloutCommand & SomeTargets, signal: AbortSignal): Promise<Deployment> {
    const deployment = await found(unit, command, signal);
    const rows = await unit.targets.of(deployment.uid, signal);
    const targets = command.targets && idsOf(command.targets, rows.map(knownTarget), deployment);
    const named = new Set(targets);
    const asked = targets === undefined ? rows : rows.filter(({ target }) => named.has(target));
    if (!wasCutShort(deployment) && !asked.some(({ failure, isOwed }) => failure !== undefined || isOwed))
      throw nothingToRetry(deployment, command.targets);
    const trigger: Trigger = { kind: 'retry', ...(targets === undefined ? {} : { targets }), by: command.by };
    const isOfRollout = deployment.rollout !== undefined;
    return await (isOfRollout ? ask : askForPlan)(unit, deployment, { trigger, now: command.now }, signal);
  },

  async rollback(
    unit: UnitOfWork,
    command: RolloutCommand & { readonly revision: number; readonly paced: boolean },
    signal: AbortSignal,
  ): Promise<Deployment> {
    const { revision, paced, by, now } = command;
    const deployment = await found(unit, command, signal);
    refuseWhileDeleting(deployment);
    await refuseForGroup(unit, deployment, 'roll back', signal);
    if ((await unit.revisions.find(deployment.uid, revision, signal)) === undefined) {
      throw new DeploymentError(
        'REVISION_NOT_FOUND',
        `Deployment ${deployment.name} has no revision ${revision}, or no longer. See its list of revisions.`,
        { faults: [{ path: '/revision', message: 'is not a revision of the deployment' }] },
      );
    }
    return await askForPlan(unit, deployment, { trigger: { kind: 'rollback', to: revision, paced, by }, now }, signal);
  },

  /** Confirms the removal from all held targets, or from the ones named. */
  async confirmRemoval(
    unit: UnitOfWork,
    command: RolloutCommand & SomeTargets,
    signal: AbortSignal,
  ): Promise<Deployment> {
    const deployment = await found(unit, command, signal);
    const { held } = deployment.status.placement;
    if (held.length === 0) {
      throw new DeploymentError(
        'NOTHING_HELD',
        `No target of ${deployment.name} waits for its removal to be confirmed.`,
      );
    }
    const rows = await unit.targets.some(
      deployment.uid,
      held.map(({ id }) => id),
      signal,
    );
    const targets = command.targets && idsOf(command.targets, rows.map(knownTarget), deployment);
    const trigger: Trigger = { kind: 'confirmRemoval', ...(targets === undefined ? {} : { targets }), by: command.by };
    return await ask(unit, deployment, { trigger, now: command.now }, signal);
  },

  /**
   * Continues above the revisions that the agents of these targets have seen; by default of all targets that are ahead.
   */
  async acceptRevision(
    unit: UnitOfWork,
    command: RolloutCommand & SomeTargets,
    signal: AbortSignal,
  ): Promise<Deployment> {
    const deployment = await found(unit, command, signal);
    const rows = (await unit.targets.of(deployment.uid, signal)).filter(isAhead);
    if (rows.length === 0) {
      throw new DeploymentError(
        'NOTHING_AHEAD',
        `No agent of ${deployment.name} has seen a later revision than was issued here.`,
      );
    }
    const chosen = command.targets && new Set(idsOf(command.targets, rows.map(knownTarget), deployment));
    const triggers = rows
      .filter(({ target }) => chosen?.has(target) ?? true)
      .map(({ target, name, failure: { seen } }): Trigger => {
        if (seen > HIGHEST_ACCEPTED) throw tooFarAhead(deployment, { name, seen });
        return { kind: 'ahead', target, revision: seen, by: command.by };
      });
    await requestPlan(unit, deployment.uid, { triggers, now: command.now }, signal);
    return deployment;
  },

  /** Removes the deployment, and leaves its content on targets it cannot be removed from. */
  async abandon(unit: UnitOfWork, command: RolloutCommand, signal: AbortSignal): Promise<Deployment> {
    const deployment = await found(unit, command, signal);
    if (deployment.deletion === undefined) {
      throw new DeploymentError(
        'NOT_DELETING',
        `Deployment ${deployment.name} is not being deleted. Delete it first, and abandon it only if the deletion does not finish.`,
      );
    }
    return await ask(unit, deployment, { trigger: { kind: 'abandon', by: command.by }, now: command.now }, signal);
  },
};

async function found(unit: UnitOfWork, command: RolloutCommand, signal: AbortSignal): Promise<Deployment> {
  const { workspace, name, precondition } = command;
  const deployment = await unit.deployments.find(workspace, name, signal);
  if (deployment === undefined) throw deploymentNotFound(workspace, name);
  precondition.check(deployment);
  return deployment;
}

async function steer(
  unit: UnitOfWork,
  current: Deployment,
  { rolloutState, by, now }: Pick<Deployment, 'rolloutState'> & Pick<RolloutCommand, 'by' | 'now'>,
  signal: AbortSignal,
): Promise<Deployment> {
  const deployment = changed(current, { rolloutState }, now);
  const isStopped = current.status.rollout?.phase === 'Paused';
  const events = deployment === current ? [] : [{ type: 'deployment.updated', deployment } as const];
  await saveDeployment(unit, { before: current, after: deployment, events, now }, signal);
  // A resume also continues a rollout that stopped by itself, without a pause by a user.
  if (deployment !== current || isStopped) await postRolloutState(unit, deployment, by, signal);
  return deployment;
}

interface Asked {
  readonly trigger: Trigger;
  readonly now: number;
}

async function ask(
  unit: UnitOfWork,
  deployment: Deployment,
  { trigger, now }: Asked,
  signal: AbortSignal,
): Promise<Deployment> {
  await requestPlan(unit, deployment.uid, { triggers: [trigger], now }, signal);
  return deployment;
}

/** A reader that looks before the plan must not take the last rollout for the one that was asked for. */
async function askForPlan(
  unit: UnitOfWork,
  deployment: Deployment,
  asked: Asked,
  signal: AbortSignal,
): Promise<Deployment> {
  const { now } = asked;
  const after = changed(deployment, { status: { ...deployment.status, awaitsPlan: true } }, now);
  const events = after === deployment ? [] : [{ type: 'deployment.statusChanged', deployment: after } as const];
  await saveDeployment(unit, { before: deployment, after, events, now }, signal);
  return await ask(unit, after, asked, signal);
}

function refuseWhileDeleting({ name, deletion }: Deployment): void {
  if (deletion !== undefined) {
    throw new DeploymentError('DEPLOYMENT_DELETING', `Deployment ${name} is being deleted, and cannot be rolled back.`);
  }
}

type AheadRow = DeploymentTarget & { readonly failure: { readonly seen: number } };

function isAhead(row: DeploymentTarget): row is AheadRow {
  return row.failure?.reason === 'RevisionAhead' && row.failure.seen !== undefined;
}

function tooFarAhead(deployment: Deployment, { name, seen }: { readonly name: string; readonly seen: number }) {
  return new DeploymentError(
    'REVISION_TOO_HIGH',
    `The agent of ${name} claims revision ${seen} of ${deployment.name}, which no platform can have issued. Revoke its fleetlet.`,
    { details: { target: name, seen } },
  );
}

interface KnownTarget {
  readonly id: TargetId;
  readonly name: string;
}

function knownTarget({ target, name }: DeploymentTarget): KnownTarget {
  return { id: target, name };
}

function idsOf(refs: readonly string[], known: readonly KnownTarget[], { name }: Deployment): readonly TargetId[] {
  const byRef = new Map(
    known.flatMap((target) => [[target.name, target.id] as const, [target.id, target.id] as const]),
  );
  const unknown = refs.flatMap((ref, index) => (byRef.has(ref) ? [] : [{ ref, index }]));
  if (unknown.length > 0) {
    const message = `${unknown[0]?.ref} is not a target of ${name} that this command applies to.`;
    throw new DeploymentError('NOT_A_TARGET', message, {
      faults: unknown.map(({ ref, index }) => ({
        path: `/targets/${index}`,
        message: `names ${ref}, which this command does not apply to`,
      })),
    });
  }
  return [...new Set(refs.flatMap((ref) => byRef.get(ref) ?? []))];
}

/** Any target may lack something, whether or not something failed there. */
function wasCutShort({ rollout: underWay, status: { rollout } }: Deployment): boolean {
  if (underWay !== undefined) return rollout?.reason === 'FailuresExceeded';
  return rollout?.outcome !== undefined && rollout.outcome !== 'Succeeded';
}

function nothingToRetry({ name, status }: Deployment, named: readonly string[] | undefined): DeploymentError {
  const which = named === undefined ? `No target of ${name}` : `None of the named targets of ${name}`;
  const { drifted, degraded } = status.counts;
  const drift = drifted > 0 ? ` Drifted: ${drifted}, which driftPolicy repair restores.` : '';
  const health = degraded > 0 ? ` Degraded, though the delivery succeeded: ${degraded}.` : '';
  return new DeploymentError('NOTHING_TO_RETRY', `${which} failed or is owed a delivery.${drift}${health}`);
}
