import type { Principal } from '#kit/http';
import { parseResourceName } from '#kit/std';

export const DEPLOYMENTS_PATH = '/v1/workspaces/{workspace}/deployments';
export const DEPLOYMENT_PATH = `${DEPLOYMENTS_PATH}/{deployment}`;

export function keyIn({ workspace, deployment }: { readonly workspace: string; readonly deployment: string }) {
  return { workspace: parseResourceName(workspace), name: parseResourceName(deployment) };
}

/** The caller in the same form as approvers, so that the two can be compared. */
export function acting({ principal, time }: { readonly principal: Principal; readonly time: number }) {
  return { by: `${principal.kind}:${principal.id}`, now: time };
}
