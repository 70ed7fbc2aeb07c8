import { type Reader, sql } from '#kit/storage';
import type { DeploymentStatus, RolloutStatus, TargetCounts } from '../domain/deployment/status/deployment-status.ts';

/** The facts about a rollout under way that metrics over all rollouts need. */
export interface RunningRollout {
  readonly phase: RolloutStatus['phase'];
  readonly counts: TargetCounts;
  /** When the deployment last changed. */
  readonly updateTime: number;
}

/** Deployments with a running pipeline, found by index: idle deployments cost nothing. */
export async function runningRollouts(reader: Reader): Promise<readonly RunningRollout[]> {
  const rows = await reader.all<{ status: string; updateTime: number }>(
    sql`SELECT status, update_time AS "updateTime" FROM deployments WHERE run IS NOT NULL AND rollout IS NOT NULL`,
  );
  return rows.map(({ status, updateTime }) => {
    const { rollout, counts } = JSON.parse(status) as DeploymentStatus;
    return { phase: rollout?.phase ?? 'Planned', counts, updateTime };
  });
}
