import { type Reader, sql } from '#kit/storage';
import type { DeploymentStatus, RolloutStatus, TargetCounts } from '../domain/deployment/deployment-status.ts';

/** As much of a rollout that is under way as somebody watches who watches them all. */
export interface RunningRollout {
  readonly phase: RolloutStatus['phase'];
  readonly counts: TargetCounts;
  /** When anything of the deployment last changed. */
  readonly updateTime: number;
}

/** Those that a pipeline is at, by the index on them: deployments at rest cost nothing, however many there are. */
export async function runningRollouts(reader: Reader): Promise<readonly RunningRollout[]> {
  const rows = await reader.all<{ status: string; updateTime: number }>(
    sql`SELECT status, update_time AS "updateTime" FROM deployments WHERE run IS NOT NULL AND rollout IS NOT NULL`,
  );
  return rows.map(({ status, updateTime }) => {
    const { rollout, counts } = JSON.parse(status) as DeploymentStatus;
    return { phase: rollout?.phase ?? 'Planned', counts, updateTime };
  });
}
