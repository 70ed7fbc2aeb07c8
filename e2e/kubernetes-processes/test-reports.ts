import type { ConnectionChange } from '#contexts/delivery';
import type { Uuid } from '#kit/std';
import type { TargetObservation } from '#protocol/delivery';
import { RecordingReports } from '../../contexts/delivery/testing/recording-reports.ts';

/**
 * What one test hears of an agent that many tests share: each has deployments of its own, which the agent knows by other uids.
 */
export class TestReports {
  /** For the current test. */
  recording = new RecordingReports();
  readonly errors: unknown[] = [];
  #own: ReadonlyMap<Uuid, Uuid> = new Map();

  /** From now on, reports about these uids are recorded under the given ones, and all others are not. */
  listen(own: ReadonlyMap<Uuid, Uuid>): RecordingReports {
    this.#own = own;
    this.recording = new RecordingReports();
    return this.recording;
  }

  async store(observations: readonly TargetObservation[]): Promise<void> {
    for (const each of observations) {
      if (each.about === 'report') {
        const deployment = this.#own.get(each.report.deployment);
        if (deployment !== undefined) await this.recording.report([{ ...each.report, deployment }]);
      }
      if (each.about !== 'inventory') continue;
      const holdings = each.inventory.holdings.flatMap((holding) => {
        const deployment = this.#own.get(holding.deployment);
        return deployment === undefined ? [] : [{ ...holding, deployment }];
      });
      await this.recording.inventory([{ ...each.inventory, holdings }]);
    }
  }

  async connectionChanged(changes: readonly ConnectionChange[]): Promise<void> {
    await this.recording.connectionChanged(changes);
  }

  refused(error: unknown): void {
    this.errors.push(error);
  }
}
