import { type Catalogue, type FieldFault, FleetError } from '#kit/std';

export const DEPLOYMENT_ERRORS = {
  INVALID_DEPLOYMENT: { category: 'invalid', retry: 'after-change' },
  NO_SUCH_WORKSPACE: { category: 'not-found', retry: 'after-change' },
  DEPLOYMENT_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  NAME_TAKEN: { category: 'conflict', retry: 'after-change' },
  DEPLOYMENT_DELETING: { category: 'conflict', retry: 'never' },
  NOT_DELETING: { category: 'conflict', retry: 'after-change' },
  GROUP_CHILD: { category: 'conflict', retry: 'after-change' },
  NO_ROLLOUT: { category: 'conflict', retry: 'after-change' },
  NOTHING_HELD: { category: 'conflict', retry: 'after-change' },
  NOTHING_TO_RETRY: { category: 'conflict', retry: 'after-change' },
  NOTHING_AHEAD: { category: 'conflict', retry: 'after-change' },
  REVISION_TOO_HIGH: { category: 'conflict', retry: 'never' },
  NOT_A_TARGET: { category: 'invalid', retry: 'after-change' },
  TARGET_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  REVISION_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  NOT_A_GROUP: { category: 'not-found', retry: 'after-change' },
  STALE_APPROVAL: { category: 'conflict', retry: 'after-change' },
  NO_OPEN_APPROVAL: { category: 'conflict', retry: 'later' },
  SEVERAL_APPROVALS: { category: 'conflict', retry: 'after-change' },
  APPROVER_NOT_DISTINCT: { category: 'forbidden', retry: 'never' },
  APPROVAL_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  PREVIEW_UNAVAILABLE: { category: 'unavailable', retry: 'later' },
  VERSION_STALE: { category: 'precondition', retry: 'after-change' },
  STORED_DEPLOYMENT_INVALID: { category: 'internal', retry: 'never' },
} as const satisfies Catalogue;

export type DeploymentErrorCode = keyof typeof DEPLOYMENT_ERRORS;

export class DeploymentError extends FleetError<DeploymentErrorCode> {
  get entry() {
    return DEPLOYMENT_ERRORS[this.code];
  }
}

/** Also the answer to callers who may not see the deployment: they cannot tell it from one that does not exist. */
export function deploymentNotFound(workspace: string, name: string): DeploymentError {
  return new DeploymentError('DEPLOYMENT_NOT_FOUND', `There is no deployment ${name} in the workspace ${workspace}.`, {
    details: { workspace, deployment: name },
  });
}

/** Takes at least one fault, each with the path of its field. */
export function invalidDeployment(faults: readonly FieldFault[]): DeploymentError {
  const [first] = faults;
  return new DeploymentError(
    'INVALID_DEPLOYMENT',
    `The deployment is invalid: ${first?.path} ${first?.message}. Correct it and send it again.`,
    { faults },
  );
}

export function notAGroup(name: string): DeploymentError {
  return new DeploymentError(
    'NOT_A_GROUP',
    `Deployment ${name} is not a group, or has not been delivered to the platform yet.`,
  );
}

export function noRollout(name: string, doing: string): DeploymentError {
  return new DeploymentError(
    'NO_ROLLOUT',
    `No rollout of ${name} is under way, so there is nothing to ${doing}. See its revisions for past rollouts.`,
  );
}

export function staleVersion(name: string): DeploymentError {
  return new DeploymentError(
    'VERSION_STALE',
    `Deployment ${name} was changed or deleted in the meantime. Read it again, and repeat the change if it still applies.`,
  );
}
