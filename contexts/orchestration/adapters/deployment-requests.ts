import type { IfMatch, Principal } from '#kit/http';
import { parseResourceName } from '#kit/std';
import type { Precondition } from '../application/ports.ts';
import { toResource } from './deployment-resource.ts';

export const DEPLOYMENTS_PATH = '/v1/workspaces/{workspace}/deployments';
export const DEPLOYMENT_PATH = `${DEPLOYMENTS_PATH}/{deployment}`;

export function keyIn({ workspace, deployment }: { readonly workspace: string; readonly deployment: string }) {
  return { workspace: parseResourceName(workspace), name: parseResourceName(deployment) };
}

/** The caller in the same form as approvers, so that the two can be compared. */
export function acting({ principal, time }: { readonly principal: Principal; readonly time: number }) {
  return { by: `${principal.kind}:${principal.id}`, now: time };
}

/** Checks `If-Match`, and passes the state before the change to the audit log. */
export function audited(request: { readonly ifMatch: IfMatch; changes(before: object): void }): Precondition {
  return {
    check: (current) => {
      request.changes(toResource(current));
      request.ifMatch.check(current);
    },
  };
}
