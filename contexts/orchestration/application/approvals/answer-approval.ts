import type { ResourceName } from '#kit/std';
import { answerRefusal } from '../../domain/deployment/answer-refusal.ts';
import type { Approval } from '../../domain/deployment/approval.ts';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import { DeploymentError, deploymentNotFound } from '../../domain/deployment/deployment-error.ts';
import { isDistinctApprover } from '../../domain/rollout/gates/distinct-approver.ts';
import type { GateAnswer } from '../../domain/rollout/gates/gate.ts';
import type { UnitOfWork } from '../ports.ts';
import { postToRollout } from '../wake-pipeline.ts';

export interface ApprovalAnswer {
  /** `kind:id` */
  readonly by: string;
  readonly isApproval: boolean;
  /** Given by an administrator of the instance, in spite of `requireDistinctApprover`. */
  readonly isOverride?: boolean;
  readonly message: string;
  readonly now: number;
}

export interface AnswerApproval extends ApprovalAnswer {
  readonly workspace: ResourceName;
  readonly approval: string;
  readonly precondition: { check(current: Approval): void };
}

export interface AnswerDeployment extends ApprovalAnswer {
  readonly workspace: ResourceName;
  readonly name: ResourceName;
}

/** The stored answer, the event for the rollout and the wake-up of its pipeline are one change. */
export async function answerApproval(
  unit: UnitOfWork,
  command: AnswerApproval,
  signal: AbortSignal,
): Promise<Approval> {
  const approval = await getApproval(unit, command, signal);
  command.precondition.check(approval);
  const deployment = await unit.deployments.get(approval.deployment, signal);
  return await answer(unit, { approval, deployment, given: command }, signal);
}

/** Answers the one approval that the deployment's rollout waits for. */
export async function answerDeployment(
  unit: UnitOfWork,
  command: AnswerDeployment,
  signal: AbortSignal,
): Promise<Deployment> {
  const { workspace, name } = command;
  const deployment = await unit.deployments.find(workspace, name, signal);
  if (deployment === undefined) throw deploymentNotFound(workspace, name);
  const approval = await onlyOpen(unit, deployment, signal);
  await answer(unit, { approval, deployment, given: command }, signal);
  return deployment;
}

export async function getApproval(
  { approvals }: Pick<UnitOfWork, 'approvals'>,
  { workspace, approval: uid }: { readonly workspace: ResourceName; readonly approval: string },
  signal: AbortSignal,
): Promise<Approval> {
  const approval = await approvals.get(uid, signal);
  if (approval?.workspace.name === workspace) return approval;
  throw new DeploymentError(
    'APPROVAL_NOT_FOUND',
    `There is no approval ${uid} in the workspace ${workspace}. Approvals are deleted with their revision.`,
  );
}

async function onlyOpen(
  { approvals }: UnitOfWork,
  { uid, name, rollout }: Deployment,
  signal: AbortSignal,
): Promise<Approval> {
  const open = rollout === undefined ? [] : await approvals.openOf({ deployment: uid, revision: rollout }, signal);
  const [only] = open;
  if (only !== undefined && open.length === 1) return only;
  if (only === undefined) {
    throw new DeploymentError('NO_OPEN_APPROVAL', `No rollout of ${name} waits for an approval.`);
  }
  const uids = open.map((approval) => approval.uid);
  throw new DeploymentError(
    'SEVERAL_APPROVALS',
    `The rollout of ${name} waits for ${open.length} approvals: ${uids.join(', ')}. Answer each by its uid.`,
    { details: { approvals: uids } },
  );
}

interface Answering {
  readonly approval: Approval;
  readonly deployment: Deployment | undefined;
  readonly given: ApprovalAnswer;
}

async function answer(
  unit: UnitOfWork,
  { approval, deployment, given }: Answering,
  signal: AbortSignal,
): Promise<Approval> {
  const refusal = answerRefusal(approval, deployment, given);
  if (refusal === 'Stale') throw stale(approval);
  if (refusal === 'NotDistinct') throw notDistinct(approval, given.by);
  const { by, isApproval, message, now } = given;
  const override = isApproval && given.isOverride === true ? { override: true as const } : {};
  const next: Approval = {
    ...approval,
    state: isApproval ? 'Approved' : 'Rejected',
    answer: { by, time: now, message, ...override },
    version: approval.version + 1,
  };
  const { gate, revision, deployment: uid } = approval;
  const told: GateAnswer = isApproval ? { kind: 'approved', by, ...override } : { kind: 'rejected', by, message };
  await unit.approvals.replace(next, signal);
  if (isApproval) await vouch(unit, approval, given, signal);
  const event = { kind: 'gateAnswered', gate, revision, answer: told } as const;
  await postToRollout(unit, { deployment: uid, revision }, [event], signal);
  await unit.events.append([{ type: 'approval.answered', approval: next }], now, signal);
  return next;
}

function stale({ revision, deploymentName, state, answer: given }: Approval): DeploymentError {
  const why =
    given !== undefined
      ? `${given.by} answered it already`
      : state === 'Open'
        ? `it was for revision ${revision} of ${deploymentName}, which no longer waits for it`
        : `it is ${state.toLowerCase()}`;
  return new DeploymentError(
    'STALE_APPROVAL',
    `The approval is no longer open: ${why}. See the deployment's status for what it waits for now.`,
    { details: { state, revision } },
  );
}

/**
 * From here on only later authors count as requesters. A user's approval of their own change has no such effect, whatever
 * the gate allows.
 */
async function vouch(
  unit: UnitOfWork,
  { deployment, revision, requesters }: Approval,
  { by, isOverride = false }: ApprovalAnswer,
  signal: AbortSignal,
): Promise<void> {
  if (!isOverride && !isDistinctApprover(by, requesters)) return;
  const approved = await unit.revisions.find(deployment, revision, signal);
  if (approved !== undefined) await unit.authors.approved(deployment, approved.generation, signal);
}

function notDistinct({ requesters }: Approval, by: string): DeploymentError {
  const why = requesters.includes(by)
    ? `${by} wrote part of this change or asked for the rollout`
    : `${by} is not a person`;
  return new DeploymentError(
    'APPROVER_NOT_DISTINCT',
    `${why}, but the gate requires approval by a second person. Ask another approver, or ask an administrator of the instance to override.`,
    { details: { requesters } },
  );
}
