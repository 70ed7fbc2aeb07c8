import { etagOf } from '#kit/http';
import type { TargetResource } from '#protocol/api';
import type { Condition } from '../domain/conditions.ts';
import type { Target } from '../domain/target.ts';

/**
 * A target as the API shows it. Only the name of its workspace is shown: callers may not be allowed to see the workspaces
 * above. `aliasOf` is shown to callers who may read that target, and so never in events.
 */
export function toResource(target: Target, showsAlias = false): TargetResource {
  const { name, uid, type, workspace, lifecycle, connection, generation } = target;
  const { lastSeenTime } = connection;
  return {
    name,
    uid,
    type,
    workspace: workspace.name,
    ...(target.aliasOf === undefined || !showsAlias ? {} : { aliasOf: target.aliasOf }),
    labels: target.labels,
    reportedLabels: target.reportedLabels,
    properties: target.properties,
    reportedProperties: target.reportedProperties,
    advertisedManifestTypes: [...target.advertisedManifestTypes],
    lifecycle,
    connection: {
      state: connection.state,
      ...(lastSeenTime === undefined ? {} : { lastSeenTime: timeOf(lastSeenTime) }),
    },
    conditions: target.conditions.map(conditionResource),
    createTime: timeOf(target.createTime),
    updateTime: timeOf(target.updateTime),
    generation,
    // No controller acts on a target after the write, so every generation has been observed.
    observedGeneration: generation,
    etag: etagOf(target),
  };
}

function conditionResource({ type, status, reason, message, lastTransitionTime, observedGeneration }: Condition) {
  return { type, status, reason, message, lastTransitionTime: timeOf(lastTransitionTime), observedGeneration };
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
