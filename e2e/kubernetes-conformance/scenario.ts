import type { ClusterSize } from '#testing/clusters';
import type { Rig } from './rig.ts';

/** One thing that has to come out right on a real API server. */
export interface Scenario {
  readonly name: string;
  /** What it takes at least; `nodes` has everything, and is what all share that do not say `own`. */
  readonly own?: {
    readonly size: ClusterSize;
    readonly ownEtcd?: boolean;
    readonly apiServerFlags?: readonly string[];
  };
  readonly run: (rig: Rig) => Promise<void>;
}
