import type { ClusterSize } from '#testing/clusters';
import type { Rig } from './rig.ts';

/** One behaviour that must hold on a real API server. */
export interface Scenario {
  readonly name: string;
  /**
   * Requests a cluster of its own with at least this size. Scenarios without `own` share one of size `nodes`, which has
   * everything.
   */
  readonly own?: {
    readonly size: ClusterSize;
    readonly ownEtcd?: boolean;
    readonly apiServerFlags?: readonly string[];
  };
  readonly run: (rig: Rig) => Promise<void>;
}
